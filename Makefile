# knap: GEMM on tensor cores behind every BLAS call. `make help` lists the targets.
#
# Variables: CC, CFLAGS, PREFIX, DESTDIR; SAN=1 builds with ASan and UBSan; CUDA_HOME names a toolkit.
# No configure step: sources are found by wildcard, dependencies by the compiler.

PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0
B       := build$(if $(SAN),/san)$(if $(filter clang%,$(CC)),/clang)

CSTD     := -std=c11 -D_GNU_SOURCE
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CFLAGS   ?= -O2 -g
SANFLAGS := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-omit-frame-pointer)
ALL_CFLAGS = $(CSTD) $(WARN) $(CFLAGS) $(SANFLAGS) -fopenmp -fPIC -fvisibility=hidden -MMD -MP -I. \
             -DKNAP_VERSION=\"$(VERSION)\"
LDLIBS   := -lm -ldl -lpthread
# One short line a step; V=1 shows the commands.
say       = $(if $(V),,@echo "  $(1)  $@";)

# -- The CUDA toolkit: CUDA_HOME, nvcc on PATH, /usr/local/cuda, or the folder of NVIDIA's wheels ----------
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(shell command -v nvcc 2>/dev/null))
CUDA_DIRS := $(CUDA_HOME) /usr/local/cuda \
             $(shell python3 -c 'import nvidia,glob; [print(d) for p in nvidia.__path__ for d in glob.glob(p+"/cu1*")+glob.glob(p+"/cuda_runtime")]' 2>/dev/null)
# cudaLibraryLoadData came with 12.8; an older toolkit is as good as none.
CUDA_NEW   = $(shell awk '/define CUDART_VERSION/ {print ($$3 >= 12080) ? "yes" : ""}' $(1)/include/cuda_runtime_api.h)
CUDA      := $(firstword $(foreach d,$(CUDA_DIRS),$(if $(and $(wildcard $(d)/include/cuda_runtime_api.h),\
             $(wildcard $(d)/lib64/libcudart_static.a $(d)/lib/libcudart_static.a),$(call CUDA_NEW,$(d))),$(d))))
CUDART    := $(firstword $(wildcard $(CUDA)/lib64/libcudart_static.a $(CUDA)/lib/libcudart_static.a))
PTXAS     ?= $(firstword $(wildcard $(CUDA)/bin/ptxas) $(shell command -v ptxas 2>/dev/null))

# -- Sources ----------------------------------------------------------------------------------------
CUDA_SRC  := gpu/cuda.c gpu/tensormap.c
CORE_SRC  := $(filter-out $(CUDA_SRC),$(wildcard layout/*.c cpu_ref/*.c gpu/*.c gpu/sim/*.c))
CLI_SRC   := plugin/cli.c $(wildcard plugin/cli_*.c)
PLUG_SRC  := $(filter-out $(CLI_SRC),$(wildcard plugin/*.c))
GLUE      := $(patsubst framework_glue/%/,%,$(wildcard framework_glue/*/))
GLUE_LIB  := $(GLUE:%=$B/framework_glue/libknap_%.so)
LIB_SRC   := $(CORE_SRC) $(PLUG_SRC) $(if $(CUDA),$(wildcard $(CUDA_SRC)))
BENCH_SRC := $(wildcard benchmarks/bench*.c)
TOOL_BIN  := $(patsubst %.c,$B/%,$(filter-out $(BENCH_SRC),$(wildcard benchmarks/*.c)))
TEST_SRC  := $(wildcard tests/test_*.c)
LIB_OBJ   := $(LIB_SRC:%.c=$B/%.o)
TEST_BIN  := $(TEST_SRC:%.c=$B/%)
# Only the BLAS front knows the width of a BLAS integer.
ILP64_OBJ := $(patsubst $B/plugin/blas_front.o,$B/plugin/blas_front64.o,$(LIB_OBJ))

.PHONY: all lib tests check demo bench install clean layers list help
all: lib $B/knap $(TOOL_BIN)
lib: $B/libknap.so $B/libknap64.so $B/libknap.a $(GLUE_LIB)
ifeq ($(CUDA),)
lib: no-cuda
.PHONY: no-cuda
no-cuda:
	@echo "knap: no CUDA toolkit of 12.8 or later found (CUDA_HOME, nvcc, /usr/local/cuda, NVIDIA's wheel): built without the CUDA device; everything else works."
endif

$B/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(CFLAGS_$(subst /,_,$*)) -c $< -o $@
$B/plugin/blas_front64.o: plugin/blas_front.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -DKNAP_ILP64=1 -c $< -o $@

# CUDA's own headers are system headers here: our warnings are for our code.
CFLAGS_gpu_cuda      = -isystem $(CUDA)/include
CFLAGS_gpu_tensormap = -isystem $(CUDA)/include
CFLAGS_gpu_devices   = $(if $(CUDA),-DKNAP_HAVE_CUDA=1)

# nodelete: threads and forks call back into it for as long as the process lives.
$B/libknap.so: $(LIB_OBJ)
	$(call say,LD)$(CC) -shared $(SANFLAGS) -fopenmp -Wl,-soname,libknap.so.0 -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,-z,nodelete -o $@ $^ $(CUDART) -lrt $(LDLIBS)
$B/libknap64.so: $(ILP64_OBJ)
	$(call say,LD)$(CC) -shared $(SANFLAGS) -fopenmp -Wl,-soname,libknap64.so.0 -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,-z,nodelete -o $@ $^ $(CUDART) -lrt $(LDLIBS)
$B/libknap.a: $(LIB_OBJ)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^
# One library a framework, on top of libknap.so and its public header alone.
.SECONDEXPANSION:
$(GLUE_LIB): $B/framework_glue/libknap_%.so: $$(addprefix $B/,$$(subst .c,.o,$$(wildcard framework_glue/$$*/*.c))) $B/libknap.so
	@mkdir -p $(@D)
	@ln -sf libknap.so $B/libknap.so.0
	$(call say,LD)$(CC) -shared $(SANFLAGS) -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' -o $@ $^ $(LDLIBS)

# The command and the tests see every room, so they link the archive and not the library's public face.
BENCH_OBJ := $(BENCH_SRC:%.c=$B/%.o)
$B/knap: $(CLI_SRC:%.c=$B/%.o) $(BENCH_OBJ) $B/libknap.a
	$(call say,LD)$(CC) $(SANFLAGS) -fopenmp -o $@ $^ $(CUDART) -lrt $(LDLIBS)

# Programs of their own that measure one thing.
$(TOOL_BIN): $B/benchmarks/%: $B/benchmarks/%.o
	$(call say,LD)$(CC) $(SANFLAGS) -fopenmp -o $@ $^ $(LDLIBS)

$B/tests/test_%: $B/tests/test_%.o $(BENCH_OBJ) $B/libknap.a
	$(call say,LD)$(CC) $(SANFLAGS) -fopenmp $(LDFLAGS_test_$*) -o $@ $^ $(CUDART) -lrt $(LDLIBS)

# A glue library's handler is tested with knap_gemm itself watched.
LDFLAGS_test_jax = -Wl,--wrap=knap_gemm
$B/tests/test_jax: $B/framework_glue/jax/knap_jax.o

tests: $(TEST_BIN)
.SECONDARY: $(TEST_SRC:%.c=$B/%.o)

# Every test prints TAP: programs under build/, scripts in tests/. TESTS= narrows the run.
TESTS ?= $(TEST_BIN) $(wildcard tests/*.t)
check: all tests
	KNAP_BUILD=$(abspath $B) PTXAS=$(PTXAS) SAN=$(SAN) CC="$(CC)" prove --timer -e '' $(TESTS)

demo: all
	KNAP_BUILD=$(abspath $B) benchmarks/demo.sh

bench: all
	$B/knap bench

install: all
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/bin
	install -m 755 $B/libknap.so $(DESTDIR)$(PREFIX)/lib/libknap.so.0
	install -m 755 $B/libknap64.so $(DESTDIR)$(PREFIX)/lib/libknap64.so.0
	ln -sf libknap.so.0 $(DESTDIR)$(PREFIX)/lib/libknap.so
	ln -sf libknap64.so.0 $(DESTDIR)$(PREFIX)/lib/libknap64.so
	install -m 644 $B/libknap.a $(DESTDIR)$(PREFIX)/lib/
	install -m 644 plugin/knap.h $(DESTDIR)$(PREFIX)/include/
	install -m 755 $B/knap $(DESTDIR)$(PREFIX)/bin/
	$(foreach g,$(GLUE_LIB),install -m 755 $(g) $(DESTDIR)$(PREFIX)/lib/;)
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@CUDART@|$(CUDART)|' plugin/knap.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/knap.pc

# layout <- gpu, cpu_ref <- plugin <- framework_glue; CUDA headers only in two files.
layers:
	@sh tests/layers.sh

list: $B/knap
	@$B/knap list

clean:
	rm -rf build

help:
	@echo "make            libknap.so libknap64.so libknap.a and the knap command, in $B/"
	@echo "make check      all tests (TAP, by prove); make SAN=1 check with ASan and UBSan"
	@echo "make demo       an unmodified numpy program through libknap.so"
	@echo "make list       atoms and kernels        make layers   who may include whom"
	@echo "make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)        make clean"

-include $(LIB_OBJ:.o=.d) $(ILP64_OBJ:.o=.d) $(TEST_BIN:=.d) $(CLI_SRC:%.c=$B/%.d) $(BENCH_SRC:%.c=$B/%.d) $(wildcard $B/framework_glue/*/*.d)

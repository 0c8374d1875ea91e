#!/usr/bin/env python3
"""layout_cli: knap layout and knap draw, as a user meets them.

Reruns each command of layout/README.md and compares; checks CuTe's documented answers, evaluation
against a direct computation, errors with their place and exit status, and drawings as text and SVG.
Prints TAP. KNAP_BUILD names the folder of knap.
"""
import os
import random
import re
import stat
import subprocess
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("KNAP_BUILD", os.path.join(ROOT, "build")))
KNAP = os.path.join(BUILD, "knap")
ENV = dict(os.environ, PATH=BUILD + os.pathsep + os.environ["PATH"])
count = failed = 0


def point(passed, text, diagnosis=""):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {text}")
    for line in [] if passed else str(diagnosis).splitlines()[:20]:
        print("#", line)


def knap(*words, given=None):
    done = subprocess.run([KNAP, *words], input=given, capture_output=True, text=True, cwd=work.name)
    return done.returncode, done.stdout, done.stderr


def values(expressions):
    """The value of each expression, through stdin."""
    status, out, err = knap("layout", "-", given="\n".join(expressions) + "\n")
    return out.splitlines() if status == 0 else [f"exit {status}: {err}"]


# -- README.md ------------------------------------------------------------------------------------
def commands(text):
    """(command, expected output) of each line with a $ in a console fence."""
    for fence in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", fence, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def check_readme():
    with open(os.path.join(ROOT, "layout", "README.md"), encoding="utf-8") as file:
        listed = list(commands(file.read()))
    wrong = []
    for command, expected in listed:
        done = subprocess.run(command, shell=True, cwd=work.name, env=ENV, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.stdout != expected:
            wrong.append(f"$ {command}\n{done.stdout}--- README.md:\n{expected}")
    point(len(listed) >= 40, f"layout/README.md has {len(listed)} commands")
    point(not wrong, "each prints what it says there", "".join(wrong))


# -- Known answers --------------------------------------------------------------------------------
# From CuTe's documentation: the algebra, the mma atoms, predication, TMA tensors.
KNOWN = """
composition((6,2):(8,2),(4,3):(3,1))                            ((2,2),3):((24,2),8)
composition(20:2,(5,4):(4,1))                                   (5,4):(8,2)
composition((10,2):(16,4),(5,4):(1,5))                          (5,(2,2)):(16,(80,4))
composition((12,(4,8)):(59,(13,1)),<3:4,8:2>)                   (3,(2,4)):(236,(26,1))
composition((12,(4,8)):(59,(13,1)),(3:4,8:2))                   (3,(2,4)):(236,(26,1))
composition((12,(4,8)):(59,(13,1)),(3,8))                       (3,(4,2)):(59,(13,1))
coalesce((2,(1,6)):(1,(6,2)))                                   12:1
coalesce((2,(1,6)):(1,(6,2)),(1,1))                             (2,6):(1,2)
complement(4:1,24)                                              6:4
complement(6:4,24)                                              4:1
complement((4,6):(1,4),24)                                      1:0
complement(4:2,24)                                              (2,3):(1,8)
complement((2,4):(1,6),24)                                      3:2
complement((2,2):(1,6),24)                                      (3,2):(2,12)
logical_divide((4,2,3):(2,1,8),4:2)                             ((2,2),(2,3)):((4,1),(2,8))
logical_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)         ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
zipped_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)          ((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))
tiled_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)           ((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))
flat_divide((9,(4,8)):(59,(13,1)),<3:3,(2,4):(1,8)>)            (3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))
logical_product((2,2):(4,1),6:1)                                ((2,2),(2,3)):((4,1),(2,8))
logical_product((2,2):(4,1),(4,2):(2,1))                        ((2,2),(4,2)):((4,1),(8,2))
blocked_product((2,5):(5,1),(3,4):(1,3))                        ((2,3),(5,4)):((5,10),(1,30))
raked_product((2,5):(5,1),(3,4):(1,3))                          ((3,2),(4,5)):((10,5),(30,1))
logical_divide(1000:1,128:1)                                    (128,8):(1,128)
logical_divide(1000,128)                                        (128,8):(1,128)
(3,4,5,8):(2@1@0,3@1,5@1,7@0@0)(2,1,4,1)                        ((7,4),23)
2:1@1(1)                                                        (0,1)
2:1@1@0(1)                                                      ((0,1))
2:1@0@1(1)                                                      (0,(1))
2:5@1(1)                                                        (0,5)
((_128,_64),2,3,1):((_1@0,_1@1),_64@1,_1@2,_1@3)                ((128,64),2,3,1):((1@0,1@1),64@1,1@2,1@3)
((128,64),2,3,1):((1@0,1@1),64@1,1@2,1@3)((5,6),1,2,0)          (5,70,2,0)
shape((4,(2,3)):(1,(8,16)))                                     (4,(2,3))
stride((4,(2,3)):(1,(8,16)),1)                                  (8,16)
make_layout(shape((4,8)),stride((4,8):(8,1)))                   (4,8):(8,1)
make_layout((4,8),2)                                            refused
make_layout(4:1,8:4)                                            (4,8):(1,4)
make_ordered_layout((4,8,2),(1,2,0))                            (4,8,2):(2,8,1)
size((4,(2,3)),1)                                               6
rank((4,(2,3)),1,0)                                             1
depth((4,(2,(3))))                                              3
cosize((4,8):(1,5))                                             39
flatten((4,(2,3)):(1,(8,16)))                                   (4,2,3):(1,8,16)
group((4,2,3):(1,8,16),1,3)                                     (4,(2,3)):(1,(8,16))
select((4,2,3):(1,8,16),2,0)                                    (3,4):(16,1)
get((4,(2,3)):(1,(8,16)),1,1)                                   3:16
mode((4,8,2),2)                                                 2
append((4,8):(8,1),2:64)                                        (4,8,2):(8,1,64)
identity(4,5)                                                   (4,5):(1@0,1@1)
identity((2,3),4)                                               ((2,3),4):((1@0@0,1@1@0),1@1)
filter((4,8,2):(1,0,4))                                         8:1
right_inverse((4,8):(8,1))                                      (8,4):(4,1)
left_inverse((4,8):(1,5))                                       (5,8):(1,4)
idx2crd(21,(4,(2,3)))                                           (1,(1,2))
(4,(2,3)):(1,(8,16))(2,_)                                       ((2,3)):((8,16))
(4,(2,3)):(1,(8,16))(_,(1,_))                                   (4,3):(1,16)
crd2idx((_,(1,2)),(4,(2,3)):(1,(8,16)))                         40
identity(4,5)(_,2)                                              (4):(1@0)
(3:4,(8,2))                                                     <3:4,(8,2):(1,8)>
(4,(2,3))                                                       (4,(2,3))
()                                                              ()
 ( 4 , 8 ) : ( 8 , 1 ) ( 2 , 3 )                                19
"""


def check_known():
    wrong = []
    rows = [re.split(r" {2,}", line.rstrip()) for line in KNOWN.strip("\n").splitlines()]
    for expression, expected in rows:
        status, out, err = knap("layout", expression)
        answer = out.rstrip("\n") if status == 0 else "refused"
        if answer != expected:
            wrong.append(f"{expression} = {answer}{err}, not {expected}\n")
    point(not wrong, f"{len(rows)} known answers", "".join(wrong))
    atom = "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"
    asked = [f"{atom}({t},0)" for t in range(8)] + [f"{atom}(0,{v})" for v in range(8)]
    known = [0, 1, 16, 17, 4, 5, 20, 21, 0, 8, 2, 10, 32, 40, 34, 42]
    point(values(asked) == [str(x) for x in known], "the Volta accumulator, thread by thread")
    moved = [m + 8 * i + 4 * h for h in range(2) for i in range(4) for m in range(4)]
    asked = [f"(4,4,2):(1,8,4)({i})" for i in range(32)]
    point(values(asked) == [str(x) for x in moved], "the permutation of 32 rows")


# -- Evaluation -----------------------------------------------------------------------------------
def random_tree(rng, depth):
    """A nested list of (extent, stride)."""
    if depth == 0 or rng.random() < 0.4:
        return rng.randint(1, 5), rng.randint(0, 40)
    return [random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3))]


def leaves(tree):
    return [tree] if isinstance(tree, tuple) else [leaf for mode in tree for leaf in leaves(mode)]


def spelled(tree, part):
    if isinstance(tree, tuple):
        return str(tree[part])
    return "(" + ",".join(spelled(mode, part) for mode in tree) + ")"


def value_at(tree, index):
    total, all_leaves = 0, leaves(tree)
    for i, (extent, stride) in enumerate(all_leaves):
        last = i == len(all_leaves) - 1
        total += (index if last else index % extent) * stride
        index //= extent
    return total


def check_evaluation():
    rng = random.Random(1)
    asked, expected = [], []
    for _ in range(400):
        tree = random_tree(rng, 3)
        text = f"{spelled(tree, 0)}:{spelled(tree, 1)}"
        size = 1
        for extent, _ in leaves(tree):
            size *= extent
        index = rng.randrange(size)
        asked += [text, f"{text}({index})", f"coalesce({text})({index})", f"flatten({text})({index})",
                  f"crd2idx(idx2crd({index},{spelled(tree, 0)}),{text})", f"size({text})"]
        expected += [text] + [str(value_at(tree, index))] * 4 + [str(size)]
    got = values(asked)
    wrong = [f"{a} = {g}, not {e}" for a, g, e in zip(asked, got, expected) if g != e]
    point(not wrong and len(got) == len(asked), f"{len(asked)} values of random layouts",
          "\n".join(wrong) or got[0])


# -- Errors ---------------------------------------------------------------------------------------
# expression, a part of the sentence, the text that the caret points at
REFUSED = [
    ("composition((4,2):(8,2),5:3)", "composition: (4,2):(8,2) o 5:3: stride 3 does not divide 4", "comp"),
    ("size(complement((4,2):(1,2),24))", "complement: (4,2):(1,2): it overlaps itself", "compl"),
    ("logical_divide(8:1,(3,(4,2)))", "logical_divide: argument 2: (3,(4,2))", "(3,(4"),
    ("logical_divide((4,2):(1,9),(8,3,2))", "the tiler has 3 modes", "logical"),
    ("composition((6,2):(8,2)", "')' is expected at the end", ""),
    ("(4,8):(8,1", "')' is expected at the end", ""),
    ("4:1:2", "text after the end", ":2"),
    ("<1:2,>", "is expected here, not '>'", ">"),
    ("sing(4:1)", "sing is no operation", "sing"),
    ("get(4:1)", "get: arguments: 1 given", "get"),
    ("size((4,8),9)", "size: (4,8) has no mode 9", "size"),
    ("group((4,8):(1,4),1,1)", "group: (4,8):(1,4) has no modes", "group"),
    ("(4,8):(1)", "shape (4,8) and stride (1) nest differently", "(4,8)"),
    ("(4,8)(1,2,3)", "(4,8):(1,4) at (1,2,3): the coordinate does not fit the shape", "(4,8)"),
    ("(4,8):(1,1@0)(2,3)", "an integer and a coordinate cannot be added", "(4"),
    ("(4,8)(-1)", "numbers >= 0", "-1"),
    ("(_,3)", "'_' stands in a coordinate only", "(_"),
    ("size((_,3))", "size: argument 1: '_'", "(_"),
    ("cosize((4,8):(1@0,1@1))", "cosize: strides must be integers", "cosize"),
    ("coalesce(<3:1,2:1>)", "coalesce: argument 1: a tiler", "<3"),
    ("3@999", "a basis element has at most", "3@"),
    ("99999999999999999999", "the number is too large", "9999"),
    ("size((1000000000000000,1000000000000000))", "leave 64 bits", "size"),
    ("(" * 40, "nested deeper", "((("),
    ("", "is expected at the end", ""),
]


def check_errors():
    wrong = []
    for expression, sentence, place in REFUSED:
        status, out, err = knap("layout", expression)
        lines = err.splitlines() + [""] * 3
        column = lines[2].find("^") - 2
        if (status != 2 or out or sentence not in lines[0] or lines[1] != "  " + expression
                or not expression[column:].startswith(place) or (not place and expression[column:])):
            wrong.append(f"{expression}: exit {status}\n{out}{err}")
    point(not wrong, f"{len(REFUSED)} refusals name the rule and the place, exit 2", "".join(wrong))
    status, out, _ = knap("layout", "4:1", "x", "8:1")
    point(status == 2 and out == "4:1\n", "the first error ends it")
    point(knap("layout", "-", given="# a remark\n\n4\n 8:2\n") == (0, "4\n8:2\n", ""),
          "stdin: a line each, blank lines and remarks skipped")


def check_usage():
    atom = "SM80_16x8x16_F32F16F16F32_TN"
    for words in ["layout", "draw", "draw --svg", "draw mma", "draw mma NONE", f"draw mma {atom} D",
                  f"draw mma {atom} A B", "draw 4:1 8:1", "draw (4,8,2)", "draw size(",
                  f"draw tiled-mma {atom} 2 2 30 32 16", f"draw tiled-mma {atom} 2 2 32 32 x",
                  "draw copy 16 9 32 4 0", "draw copy 16 8 32 4 2", "draw copy 0 8 32 4 1",
                  "draw copy 16 8 32 4", "draw copy 1000 1000 8 1 0", "draw predicate (4,8) 3", "draw predicate (4,(2,2)) (3,3)",
                  "draw predicate 4", "draw (1000,1000)", "draw predicate (1000,1) (1,1000)"]:
        status, out, err = knap(*words.split(), *([] if "--svg" in words else ["--svg", "no.svg"]
                                                  if words != "layout" else []))
        point(status == 2 and not out and err.count("\n") == 1 and err.startswith("knap: "),
              f"wrong: knap {words}", f"exit {status}\n{out}{err}")
    point(not os.listdir(work.name), "wrong usage leaves no file", os.listdir(work.name))
    status, out, err = knap("draw", "4:1", "--svg", "none/x.svg")
    point(status == 1 and not out and "none/x.svg cannot be written" in err, "a folder that is not")
    os.mkdir(os.path.join(work.name, "folder"))
    point(knap("draw", "4:1", "--svg", "folder")[0] == 1 and os.listdir(work.name) == ["folder"],
          "a file that cannot be replaced leaves no other", os.listdir(work.name))


# -- Drawings -------------------------------------------------------------------------------------
def grids(out):
    """Each grid in the output as rows of cells."""
    found = []
    for line in out.splitlines():
        if re.match(r" *\d+:", line):
            found[-1].append(line.split(":", 1)[1].split())
        elif re.match(r" +0( |$)", line):
            found.append([])
    return found


def drawn(words, expected_cells, name):
    """Draws as text and SVG; the grids of the text, of which the SVG has each cell."""
    path = os.path.join(work.name, "drawing.svg")
    status, out, err = knap("draw", *words, "--svg", path)
    cells = [cell for grid in grids(out) for row in grid for cell in row]
    try:
        tree = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        tree, err = xml.etree.ElementTree.Element("none"), f"{err}{error}"
    svg = "{http://www.w3.org/2000/svg}"
    rects = [r for r in tree.iter(svg + "rect") if r.get("class") == "cell"]
    texts = [t.text for t in tree.iter(svg + "text")]
    missing = [cell for cell in set(cells) if texts.count(cell) < cells.count(cell)]
    colours = {cell.get("fill") for cell in rects}
    point(status == 0 and len(rects) == len(cells) == expected_cells and not missing and colours,
          f"{name}: {expected_cells} cells, in text and in well-formed SVG",
          f"exit {status}, {len(rects)} and {len(cells)} cells, without {missing[:5]}\n{err}")
    return grids(out)


def fills_of(grid):
    """The colours of the drawing's last grid, row by row."""
    with open(os.path.join(work.name, "drawing.svg"), encoding="utf-8") as file:
        fills = re.findall(r'class="cell".*? fill="(.*?)"', file.read())
    cols = len(grid[0])
    last = fills[-cols * len(grid):]
    return [last[i:i + cols] for i in range(0, len(last), cols)]


def place_of_mma(t, v):
    """Row and column of the m16n8 accumulator, by the PTX manual's formula."""
    return t // 4 + 8 * (v // 2), t % 4 * 2 + v % 2


def check_drawings():
    grid, = drawn(["(4,8):(8,1)"], 32, "a layout")
    point(grid == [[str(8 * i + j) for j in range(8)] for i in range(4)], "... its values")
    grid, = drawn(["(4,5):(1@1,1@0)"], 20, "coordinates")
    point(grid == [[f"({j},{i})" for j in range(5)] for i in range(4)], "... transposed")
    atom = "SM80_16x8x16_F32F16F16F32_TN"
    a, b, c = drawn(["mma", atom], 16 * 16 + 16 * 8 + 16 * 8, "an atom")
    held = {f"T{t}V{v}": place_of_mma(t, v) for t in range(32) for v in range(4)}
    point(all(c[m][n] == tv for tv, (m, n) in held.items()), "... C as the PTX manual has it")
    point([len(a), len(a[0]), len(b), len(b[0])] == [16, 16, 16, 8] and b[1][0] == "T0V1"
          and b[0][1] == "T4V0" and a[0][1] == "T0V1" and a[8][0] == "T0V2", "... A and B")
    fills = {cell: fill for row, line in zip(c, fills_of(c)) for cell, fill in zip(row, line)}
    point(all(fills[f"T{t}V{v}"] == fills[f"T{t}V0"] != fills[f"T{t ^ 1}V0"] for t in range(32)
              for v in range(4)), "... a thread has one colour, its neighbour another")
    c, = drawn(["tiled-mma", atom, "2", "2", "64", "32", "16", "C"], 64 * 32, "a tiled mma")
    point(len({cell for row in c for cell in row}) == 64 * 32 and c[16][8] == "T96V0"
          and c[32][0] == "T0V4", "... each cell another thread and value")
    copy, = drawn(["copy", "4", "8", "8", "2", "0"], 32, "a tiled copy")
    point(copy[1][0] == "T0V1" and copy[2][0] == "T1V0" and copy[0][1] == "T2V0", "... in vectors")
    inside, = drawn(["predicate", "(4,8)", "(41,55)"], 44 * 56, "a predicate")
    point(inside == [["1" if i < 41 and j < 55 else "." for j in range(56)] for i in range(44)],
          "... 41 x 55 of 44 x 56 are inside")
    inside, = drawn(["predicate", "128", "1000"], 1024, "a predicate of a vector")
    point(sum(row.count("1") for row in inside) == 1000 and inside[103][7] == "1"
          and inside[104][7] == ".", "... 1000 of 1024 are inside")
    mode = os.stat(os.path.join(work.name, "drawing.svg")).st_mode
    mask = os.umask(0)
    os.umask(mask)
    point(stat.S_IMODE(mode) == 0o666 & ~mask, "the SVG has the permissions of any new file")


work = tempfile.TemporaryDirectory()
check_usage()
check_readme()
check_known()
check_evaluation()
check_errors()
check_drawings()
work.cleanup()
print(f"1..{count}")
raise SystemExit(failed > 0)

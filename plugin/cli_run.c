/*
 * cli_run: runs a program with libknap.so in front of its BLAS, and tells what ran where. See
 * cli.h.
 *
 * Knobs travel as KNAP_* variables, which is why this file, too, touches the environment. Each
 * process of the program writes its statistics to a file of its own in a temporary folder, by
 * KNAP_STATS; they are added up here. The program's exit status, or the signal that ended it,
 * becomes ours.
 */
#include "plugin/cli.h"

#include "plugin/env.h"
#include "plugin/stats.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *option, *variable;
} knobs[] = {
#define ROW(field, variable, standard, values, meaning) {"--" #field, variable},
    ENV_LIST(ROW)
#undef ROW
};

enum { KNOBS = sizeof knobs / sizeof knobs[0] };

/* -- Before ------------------------------------------------------------------------------------ */

/* Sets the variables of all options; the index of the program in argv, or 0 after a sentence. */
static int set_knobs(int argc, char **argv)
{
    int i = 1;
    while (i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
        int knob = 0;
        while (knob < KNOBS && strcmp(knobs[knob].option, argv[i]) != 0) knob++;
        if (knob == KNOBS) cli_wrong("run has no option %s; knap info lists the knobs", argv[i]);
        if (knob == KNOBS) return 0;
        if (i + 1 >= argc) cli_wrong("%s needs a value", argv[i]);
        if (i + 1 >= argc) return 0;
        setenv(knobs[knob].variable, argv[i + 1], 1);
        i += 2;
    }
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    if (i >= argc) cli_wrong("run needs a program: knap run -- PROGRAM");
    return i < argc ? i : 0;
}

/* libknap.so beside the command, or in ../lib as installed. */
static bool find_library(char out[PATH_MAX])
{
    static const char *const places[] = {"libknap.so", "../lib/libknap.so"};
    char self[PATH_MAX], path[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        if (realpath(path, out)) return true;
    }
    return false;
}

/* In front of what is preloaded already. */
static bool set_preload(void)
{
    char library[PATH_MAX];
    if (!find_library(library)) {
        fputs("knap: libknap.so is neither beside this command nor in ../lib\n", stderr);
        return false;
    }
    if (strpbrk(library, " :")) {
        fprintf(stderr, "knap: the loader cannot preload %s: its path has a space or a colon\n",
                library);
        return false;
    }
    const char *before = env_lookup("LD_PRELOAD");
    char *all;
    if (asprintf(&all, "%s%s%s", library, before && before[0] ? ":" : "", before ? before : "") < 0)
        return false;
    setenv("LD_PRELOAD", all, 1);
    free(all);
    return true;
}

/* -- After ------------------------------------------------------------------------------------- */

/* Adds one process's file and removes it. */
static void collect_file(Stats *sum, const char *path)
{
    FILE *in = fopen(path, "re");
    if (!in) return;
    if (!stats_read(sum, in)) fprintf(stderr, "knap: %s is incomplete\n", path);
    fclose(in);
    unlink(path);
}

static void collect_folder(Stats *sum, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') collect_file(sum, path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

/* wanted: the KNAP_STATS that the user asked for, or NULL. */
static void summarise(const char *folder, const char *wanted)
{
    Stats *sum = stats_new();
    if (!sum) return;
    collect_folder(sum, folder);
    KnapStats total;
    stats_sum(sum, &total);
    if (total.calls > 0)
        stats_table(sum, stderr);
    else
        fputs("knap: no BLAS product was seen\n", stderr);
    FILE *out = wanted && wanted[0] && strcmp(wanted, "-") != 0 ? fopen(wanted, "we") : NULL;
    if (wanted && strcmp(wanted, "-") == 0) stats_json(sum, stderr);
    if (out) stats_json(sum, out);
    if (out) fclose(out);
    stats_free(sum);
}

/* -- The program ------------------------------------------------------------------------------- */

static void become(char **argv, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    fprintf(stderr, "knap: %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Waits for the child. What a terminal sends goes to it too; what is sent to us alone is passed
 * on. */
static int wait_for(pid_t child, const sigset_t *set)
{
    int status;
    for (;;) {
        siginfo_t info;
        int number = sigwaitinfo(set, &info);
        if (number == SIGCHLD && waitpid(child, &status, WNOHANG) == child) return status;
        if (number > 0 && number != SIGCHLD && info.si_code <= 0) kill(child, number);
    }
}

/* Blocked signals wait for sigwaitinfo, so no handler and no state of the process is needed. */
static int run(char **argv)
{
    sigset_t set, old;
    sigemptyset(&set);
    const int numbers[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sigaddset(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, &old);
    signal(SIGCHLD, SIG_DFL); /* ignored, as a parent may have left it, it would never be sent */
    pid_t child = fork();
    if (child == 0) become(argv, &old);
    int status = child < 0 ? 1 << 8 : wait_for(child, &set);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}

/* Ends as the program ended: by the same signal, without a second core file. */
static int pass_on(int status)
{
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

int cli_run(int argc, char **argv)
{
    int program = set_knobs(argc, argv);
    if (program == 0) return 2;
    if (!set_preload()) return 1;
    const char *wanted = env_lookup("KNAP_STATS");
    char *user = wanted ? strdup(wanted) : NULL;
    char folder[] = "/tmp/knap-XXXXXX", pattern[sizeof folder + 16];
    const bool collects = mkdtemp(folder) != NULL;
    if (collects) {
        snprintf(pattern, sizeof pattern, "%s/%%p.json", folder);
        setenv("KNAP_STATS", pattern, 1);
    } else {
        fprintf(stderr, "knap: no summary: %s: %s\n", folder, strerror(errno));
    }
    int status = run(argv + program);
    if (collects) summarise(folder, user);
    free(user);
    return pass_on(status);
}

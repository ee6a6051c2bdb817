/*
 * fakecli: a stand-in for the Claude Code CLI that talks its NDJSON protocol
 * at full pipe speed. It exists to measure SDKs, so it does no work of its own.
 *
 *   cc -O2 -Wall -o fakecli fakecli.c
 *
 * It is configured by one environment variable, because SDKs pass their
 * environment on but own the argument list; a later setting replaces an
 * earlier one:
 *
 *   FAKECLI="mode=stream,n=200000,size=250,kind=delta"
 *
 *   mode    stream   n messages of about `size` bytes, then a result
 *           paced    n messages, one every gap_us; each carries its send time
 *           perm     n can_use_tool requests, at most `depth` unanswered
 *           hook     n hook_callback requests, same
 *           mcp      n tools/call requests to an in-process MCP server, same
 *           echo     every user message is answered by an assistant message
 *                    and a result, until stdin closes
 *   kind    delta | mix | text | tool    what `stream` emits
 *   n, size, depth, gap_us               numbers
 *   spread  0..100   sizes vary by up to this many percent
 *   series  any number: other text, other wide messages, other sizes
 *   lead    perm, hook, mcp: messages of `kind` and `size` sent before the
 *           first request, so that the requests stand behind unread output;
 *           wall_us then counts from the first of them
 *   utf8    0..100   share of messages holding characters beyond Latin-1
 *   stderr  bytes written to stderr before the stream starts
 *   linger  1: stay alive after stdin closes; 2: ignore SIGTERM as well
 *   server, tool     names for mode=mcp (default bench / echo)
 *   junk    every junk-th line is not JSON (0: never)
 *
 * In the request modes the latency seen from this side of the pipe is put in
 * the `result` field of the last message, as JSON:
 *   {"n":..,"failed":..,"wall_us":..,"p50_us":..,"p99_us":..,"max_us":..}
 * `failed` counts answers that are errors, or that are not what a callback
 * which allows everything (perm) or echoes its argument (mcp) would give.
 *
 * Like the real CLI it reports session state (running, idle) only when
 * CLAUDE_CODE_SDK_READS_SESSION_STATE is set.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- settings */

static struct {
  char mode[16], kind[16], server[64], tool[64];
  long n, size, depth, gap_us, utf8, err_bytes, linger, junk, spread, lead;
} cfg = {"stream", "mix", "bench", "echo", 1000, 250, 1, 0, 0, 0, 0, 0, 0, 0};

static uint64_t state = 0x9e3779b97f4a7c15ull; /* of the random numbers */

static void load_settings(void) {
  const char *env = getenv("FAKECLI");
  if (!env) return;
  char *copy = strdup(env);
  for (char *save, *t = strtok_r(copy, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
    char *v = strchr(t, '=');
    if (!v) continue;
    *v++ = 0;
    long num = atol(v);
    if (!strcmp(t, "mode")) snprintf(cfg.mode, sizeof cfg.mode, "%s", v);
    else if (!strcmp(t, "kind")) snprintf(cfg.kind, sizeof cfg.kind, "%s", v);
    else if (!strcmp(t, "server")) snprintf(cfg.server, sizeof cfg.server, "%s", v);
    else if (!strcmp(t, "tool")) snprintf(cfg.tool, sizeof cfg.tool, "%s", v);
    else if (!strcmp(t, "n")) cfg.n = num;
    else if (!strcmp(t, "size")) cfg.size = num;
    else if (!strcmp(t, "depth")) cfg.depth = num < 1 ? 1 : num;
    else if (!strcmp(t, "gap_us")) cfg.gap_us = num;
    else if (!strcmp(t, "utf8")) cfg.utf8 = num;
    else if (!strcmp(t, "stderr")) cfg.err_bytes = num;
    else if (!strcmp(t, "linger")) cfg.linger = num;
    else if (!strcmp(t, "junk")) cfg.junk = num;
    else if (!strcmp(t, "spread")) cfg.spread = num > 100 ? 100 : num;
    else if (!strcmp(t, "lead")) cfg.lead = num;
    else if (!strcmp(t, "series")) state = 0x9e3779b97f4a7c15ull ^ ((uint64_t)num * 0xd1342543de82ef95ull);
    else { fprintf(stderr, "fakecli: unknown setting %s\n", t); exit(64); }
  }
  free(copy);
}

/* ------------------------------------------------------------------- bytes */

typedef struct { char *p; size_t len, cap; } buf;

static void room(buf *b, size_t more) {
  if (b->len + more <= b->cap) return;
  while (b->cap < b->len + more) b->cap = b->cap ? b->cap * 2 : 65536;
  b->p = realloc(b->p, b->cap);
  if (!b->p) abort();
}
static void put(buf *b, const void *p, size_t n) { room(b, n); memcpy(b->p + b->len, p, n); b->len += n; }
static void puts_(buf *b, const char *s) { put(b, s, strlen(s)); }
#define putf(b, ...) do { char t_[1024]; int k_ = snprintf(t_, sizeof t_, __VA_ARGS__); put(b, t_, (size_t)k_); } while (0)

static void write_all(int fd, const char *p, size_t n) {
  while (n) {
    ssize_t k = write(fd, p, n);
    if (k < 0) {
      if (errno == EINTR) continue;
      _exit(errno == EPIPE ? 0 : 74);
    }
    p += k;
    n -= (size_t)k;
  }
}
static void flush(buf *b) { write_all(1, b->p, b->len); b->len = 0; }

static int64_t now_us(clockid_t c) {
  struct timespec t;
  clock_gettime(c, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static uint32_t rnd(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return (uint32_t)(state >> 16);
}
static void put_uuid(buf *b) {
  putf(b, "%08x-%04x-4%03x-8%03x-%08x%04x", rnd(), rnd() & 0xffff, rnd() & 0xfff, rnd() & 0xfff, rnd(), rnd() & 0xffff);
}

/* ---------------------------------------------------- reading JSON (little) */

static const char *ws(const char *p) { while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') p++; return p; }
static const char *skip_string(const char *p) {
  for (p++; *p && *p != '"'; p++) if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}
static const char *skip_value(const char *p) {
  p = ws(p);
  if (*p == '"') return skip_string(p);
  if (*p == '{' || *p == '[') {
    int depth = 0;
    while (*p) {
      if (*p == '"') { p = skip_string(p); continue; }
      if (*p == '{' || *p == '[') depth++;
      else if (*p == '}' || *p == ']') { depth--; if (!depth) return p + 1; }
      p++;
    }
    return p;
  }
  while (*p && !strchr(",}] \t\r\n", *p)) p++;
  return p;
}
/* The value of `key` in the object at `obj`, or NULL. */
static const char *get(const char *obj, const char *key) {
  if (!obj) return NULL;
  const char *p = ws(obj);
  if (*p != '{') return NULL;
  size_t klen = strlen(key);
  for (p = ws(p + 1); *p == '"';) {
    const char *k = p + 1;
    p = skip_string(p);
    size_t got = (size_t)(p - 1 - k);
    p = ws(p);
    if (*p != ':') return NULL;
    p = ws(p + 1);
    if (got == klen && !memcmp(k, key, klen)) return p;
    p = ws(skip_value(p));
    if (*p != ',') return NULL;
    p = ws(p + 1);
  }
  return NULL;
}
static int is(const char *v, const char *want) {
  size_t n = strlen(want);
  return v && *v == '"' && !strncmp(v + 1, want, n) && v[n + 1] == '"';
}

/* ------------------------------------------------------------------- stdin */

static buf in;
static size_t in_pos;
static int in_eof;

/* The next line without its newline, valid until the next call; NULL at EOF. */
static char *read_line(void) {
  size_t from = in_pos;
  for (;;) {
    char *nl = in.len > from ? memchr(in.p + from, '\n', in.len - from) : NULL;
    if (nl) {
      char *line = in.p + in_pos;
      *nl = 0;
      in_pos = (size_t)(nl - in.p) + 1;
      return line;
    }
    if (in_eof) return NULL;
    if (in_pos) {
      memmove(in.p, in.p + in_pos, in.len - in_pos);
      in.len -= in_pos;
      in_pos = 0;
    }
    from = in.len;
    room(&in, 65536);
    ssize_t k = read(0, in.p + in.len, in.cap - in.len);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) in_eof = 1;
    else in.len += (size_t)k;
  }
}

/* ---------------------------------------------------------------- messages */

static const char *SESSION = "5f0c4c1e-7a53-4a41-9c1b-0d7b0f6d1c11";
static const char *MODEL = "claude-sonnet-4-5-20250929";
static const char *WORDS[] = {"the", "stream", "reads", "a", "line", "from", "pipe", "const", "value", "return",
                              "function", "error", "when", "parser", "sees", "token", "import", "{", "}", "=>",
                              "module", "test", "passes", "file", "src/main.ts", "42", "process", "exit", "code", "session"};
static const char *WIDE[] = {"\xe2\x80\x94", "\xe2\x9c\x93", "caf\xc3\xa9", "\xf0\x9f\x9a\x80", "\xe6\x97\xa5\xe6\x9c\xac", "\xe2\x86\x92"};

/* About `size` bytes of text, already escaped for a JSON string. */
static void put_text(buf *b, long size, int wide) {
  size_t end = b->len + (size_t)(size > 0 ? size : 0);
  for (int i = 1; b->len < end; i++) {
    if (wide && i % 23 == 3) puts_(b, WIDE[rnd() % 6]);
    else if (i % 31 == 0) puts_(b, "\\\"name\\\"");
    else puts_(b, WORDS[rnd() % 30]);
    puts_(b, i % 11 == 0 ? "\\n" : i % 47 == 0 ? "\\t" : " ");
  }
  /* Cut to size without splitting an escape or a UTF-8 sequence. */
  if (b->len > end) {
    b->len = end;
    while (b->len && ((b->p[b->len - 1] & 0x80) || b->p[b->len - 1] == '\\')) b->len--;
  }
}

static void put_tail(buf *b) {
  putf(b, ",\"parent_tool_use_id\":null,\"session_id\":\"%s\",\"uuid\":\"", SESSION);
  put_uuid(b);
  puts_(b, "\"}\n");
}
static void put_assistant_head(buf *b) {
  putf(b, "{\"type\":\"assistant\",\"message\":{\"model\":\"%s\",\"id\":\"msg_01%08x%08x\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[", MODEL, rnd(), rnd());
}
static void put_assistant_tail(buf *b) {
  puts_(b, "],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":4,\"cache_creation_input_tokens\":7719,"
           "\"cache_read_input_tokens\":14025,\"cache_creation\":{\"ephemeral_5m_input_tokens\":7719,\"ephemeral_1h_input_tokens\":0},"
           "\"output_tokens\":8,\"service_tier\":\"standard\"},\"context_management\":null}");
  put_tail(b);
}

static void put_delta(buf *b, long size, int wide) {
  puts_(b, "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"");
  put_text(b, size - 250 + 14, wide);
  puts_(b, "\"}}");
  put_tail(b);
}
static void put_assistant(buf *b, long size, int wide) {
  put_assistant_head(b);
  puts_(b, "{\"type\":\"text\",\"text\":\"");
  put_text(b, size - 660, wide);
  puts_(b, "\"}");
  put_assistant_tail(b);
}
static void put_tool_use(buf *b, long size, int wide) {
  put_assistant_head(b);
  putf(b, "{\"type\":\"tool_use\",\"id\":\"toolu_01%08x%08x\",\"name\":\"Edit\",\"input\":{\"file_path\":\"/home/user/project/src/pipe.ts\",\"replace_all\":false,\"old_string\":\"", rnd(), rnd());
  put_text(b, (size - 830) / 2, wide);
  puts_(b, "\",\"new_string\":\"");
  put_text(b, (size - 830) / 2, wide);
  puts_(b, "\"}}");
  put_assistant_tail(b);
}
static void put_tool_result(buf *b, long size, int wide) {
  putf(b, "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"toolu_01%08x%08x\",\"type\":\"tool_result\",\"content\":\"", rnd(), rnd());
  put_text(b, (size - 420) / 2, wide);
  puts_(b, "\"}]},\"tool_use_result\":{\"type\":\"text\",\"file\":{\"filePath\":\"/home/user/project/src/pipe.ts\",\"content\":\"");
  put_text(b, (size - 420) / 2, wide);
  puts_(b, "\",\"numLines\":40,\"startLine\":1,\"totalLines\":40}}");
  put_tail(b);
}
static void put_system(buf *b, long size, int wide) {
  puts_(b, "{\"type\":\"system\",\"subtype\":\"status\",\"status\":null,\"note\":\"");
  put_text(b, size - 200, wide);
  puts_(b, "\"");
  put_tail(b);
}
static void put_init(buf *b) {
  putf(b, "{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/home/user/project\",\"session_id\":\"%s\",\"tools\":[\"Task\",\"Bash\",\"Edit\",\"Read\"],"
          "\"mcp_servers\":[],\"model\":\"%s\",\"permissionMode\":\"default\",\"slash_commands\":[],\"apiKeySource\":\"none\","
          "\"claude_code_version\":\"2.1.328\",\"output_style\":\"default\",\"agents\":[],\"skills\":[],\"plugins\":[],\"fakecli_pid\":%d,\"uuid\":\"", SESSION, MODEL, getpid());
  put_uuid(b);
  puts_(b, "\"}\n");
}
static void put_result(buf *b, long turns, const char *text) {
  putf(b, "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":1,\"duration_api_ms\":1,\"num_turns\":%ld,\"result\":\"", turns);
  for (; *text; text++) {
    if (*text == '"') put(b, "\\\"", 2);
    else put(b, text, 1);
  }
  putf(b, "\",\"stop_reason\":\"end_turn\",\"session_id\":\"%s\",\"total_cost_usd\":0.001,\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":0,"
          "\"cache_read_input_tokens\":0,\"output_tokens\":5,\"service_tier\":\"standard\"},\"modelUsage\":{},\"permission_denials\":[],\"uuid\":\"", SESSION);
  put_uuid(b);
  puts_(b, "\"}\n");
}

static void put_message(buf *b, long i) {
  int wide = cfg.utf8 && (long)(rnd() % 100) < cfg.utf8;
  long size = cfg.size;
  if (cfg.spread) size += size / 100 * ((long)(rnd() % (uint32_t)(2 * cfg.spread + 1)) - cfg.spread);
  if (cfg.junk && i % cfg.junk == cfg.junk - 1) { puts_(b, "not json: a stray line from a dependency\n"); return; }
  if (!strcmp(cfg.kind, "delta")) put_delta(b, size, wide);
  else if (!strcmp(cfg.kind, "text")) put_assistant(b, size, wide);
  else if (!strcmp(cfg.kind, "tool")) put_tool_result(b, size, wide);
  else switch (i % 10) { /* mix */
    case 0: case 3: case 5: case 8: put_assistant(b, size, wide); break;
    case 1: case 6: put_tool_use(b, size, wide); break;
    case 2: case 7: put_tool_result(b, size, wide); break;
    case 4: put_delta(b, size, wide); break;
    default: put_system(b, size, wide);
  }
}

/* ------------------------------------------------------------------- modes */

static buf out;
static char callback_id[64] = "hook_0";

/* The frames the real CLI sends when asked to by the environment. They must not
 * change what the other messages hold, so the random numbers go back after. */
static void put_state(const char *name) {
  if (!getenv("CLAUDE_CODE_SDK_READS_SESSION_STATE")) return;
  uint64_t before = state;
  putf(&out, "{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"%s\",\"sdk_host_only\":true,\"session_id\":\"%s\",\"uuid\":\"", name, SESSION);
  put_uuid(&out);
  puts_(&out, "\"}\n");
  state = before;
}

static void answer_control(const char *line) {
  const char *req = get(line, "request"), *id = get(line, "request_id");
  if (!id || *id != '"') return;
  int idlen = (int)(skip_string(id) - id);
  putf(&out, "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":%.*s,\"response\":", idlen, id);
  if (is(get(req, "subtype"), "initialize")) {
    const char *h = strstr(line, "\"hookCallbackIds\"");
    if (h && (h = strchr(h, '[')) && *(h = ws(h + 1)) == '"')
      snprintf(callback_id, sizeof callback_id, "%.*s", (int)(skip_string(h) - h - 2), h + 1);
    putf(&out, "{\"commands\":[],\"agents\":[],\"output_style\":\"default\",\"available_output_styles\":[\"default\"],\"models\":[],"
               "\"account\":{},\"settings_applied\":true,\"disallowed_tools_applied\":true,\"mcp_servers_applied\":true,"
               "\"plugins_applied\":true,\"claude_code_version\":\"2.1.328\",\"pid\":%d}", getpid());
  } else puts_(&out, "{}");
  puts_(&out, "}}\n");
  flush(&out);
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void put_stream(long n) {
  if (n <= 0) return;
  /* A block of distinct messages is built once and then written again and
     again, so that the writer never is the bottleneck. */
  long per = cfg.size > 0 ? (8 << 20) / cfg.size : 1000;
  if (per < 10) per = 10;
  if (cfg.junk) per -= per % cfg.junk ? per % cfg.junk : 0;
  if (per > n) per = n;
  size_t *end = malloc(sizeof(size_t) * (size_t)(per + 1));
  buf block = {0};
  end[0] = 0;
  for (long i = 0; i < per; i++) { put_message(&block, i); end[i + 1] = block.len; }
  for (long left = n; left > 0; left -= per) write_all(1, block.p, end[left < per ? left : per]);
  free(block.p);
  free(end);
}

static void run_stream(void) {
  put_stream(cfg.n);
  put_result(&out, 1, "done");
  put_state("idle");
  flush(&out);
}

static void run_paced(void) {
  int64_t next = now_us(CLOCK_MONOTONIC);
  for (long i = 0; i < cfg.n; i++) {
    int64_t t;
    while ((t = now_us(CLOCK_MONOTONIC)) < next)
      if (next - t > 200) usleep((useconds_t)(next - t - 150));
    next += cfg.gap_us;
    putf(&out, "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%lld\"}}",
         (long long)now_us(CLOCK_REALTIME));
    put_tail(&out);
    flush(&out);
  }
  put_result(&out, 1, "done");
  put_state("idle");
  flush(&out);
}

static void put_request(long i) {
  putf(&out, "{\"type\":\"control_request\",\"request_id\":\"r%ld\",\"request\":{", i);
  if (!strcmp(cfg.mode, "perm"))
    putf(&out, "\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{\"command\":\"echo %ld\",\"description\":\"Say the number\"},"
               "\"permission_suggestions\":[],\"tool_use_id\":\"toolu_01%016lx\"", i, i);
  else if (!strcmp(cfg.mode, "hook"))
    putf(&out, "\"subtype\":\"hook_callback\",\"callback_id\":\"%s\",\"tool_use_id\":\"toolu_01%016lx\",\"input\":{\"session_id\":\"%s\","
               "\"transcript_path\":\"/home/user/project/t.jsonl\",\"cwd\":\"/home/user/project\",\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\","
               "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"echo %ld\"},\"tool_use_id\":\"toolu_01%016lx\"}", callback_id, i, SESSION, i, i);
  else
    putf(&out, "\"subtype\":\"mcp_message\",\"server_name\":\"%s\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\","
               "\"params\":{\"name\":\"%s\",\"arguments\":{\"text\":\"call %ld\"}}}", cfg.server, i + 10, cfg.tool, i);
  puts_(&out, "}}\n");
}

static int started; /* the measured requests are under way */

/* Reads lines until a control_response arrives; its number, or -1 at EOF. */
static long next_response(int *failed) {
  for (char *line; (line = read_line());) {
    const char *type = get(line, "type");
    if (is(type, "control_request")) { answer_control(line); continue; }
    if (!is(type, "control_response")) continue;
    const char *r = get(line, "response"), *id = get(r, "request_id");
    if (!id || id[0] != '"' || id[1] != 'r') continue;
    long i = atol(id + 2);
    int good = is(get(r, "subtype"), "success");
    if (good && started) {
      char want[48];
      const char *body = get(r, "response");
      if (!strcmp(cfg.mode, "perm")) {
        snprintf(want, sizeof want, "\"echo %ld\"", i);
        good = is(get(body, "behavior"), "allow") && strstr(body, want);
      } else if (!strcmp(cfg.mode, "mcp")) {
        snprintf(want, sizeof want, "\"call %ld\"", i);
        good = get(body, "mcp_response") && strstr(body, want);
      }
    }
    if (!good && !(*failed)++) fprintf(stderr, "fakecli: first bad answer: %.400s\n", line);
    return i;
  }
  return -1;
}

static void run_requests(void) {
  int failed = 0;
  int64_t start = now_us(CLOCK_MONOTONIC);
  put_stream(cfg.lead);
  if (!strcmp(cfg.mode, "mcp")) {
    putf(&out, "{\"type\":\"control_request\",\"request_id\":\"r0\",\"request\":{\"subtype\":\"mcp_message\",\"server_name\":\"%s\",\"message\":"
               "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
               "\"clientInfo\":{\"name\":\"fakecli\",\"version\":\"0\"}}}}}\n", cfg.server);
    flush(&out);
    if (next_response(&failed) < 0) return;
    putf(&out, "{\"type\":\"control_request\",\"request_id\":\"r0\",\"request\":{\"subtype\":\"mcp_message\",\"server_name\":\"%s\",\"message\":"
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}}\n", cfg.server);
    flush(&out);
    if (next_response(&failed) < 0) return;
  }
  int64_t *sent = calloc((size_t)cfg.n, sizeof *sent), *took = calloc((size_t)cfg.n, sizeof *took);
  long next = 0, done = 0;
  started = 1;
  if (!cfg.lead) start = now_us(CLOCK_MONOTONIC);
  while (done < cfg.n) {
    while (next < cfg.n && next - done < cfg.depth) {
      put_request(next);
      sent[next++] = now_us(CLOCK_MONOTONIC);
    }
    if (out.len) flush(&out);
    /* Drain what is already buffered before asking for more. */
    do {
      long i = next_response(&failed);
      if (i < 0) return;
      if (i < cfg.n && sent[i]) { took[done++] = now_us(CLOCK_MONOTONIC) - sent[i]; sent[i] = 0; }
    } while (done < next && in.len > in_pos && memchr(in.p + in_pos, '\n', in.len - in_pos));
  }
  int64_t wall = now_us(CLOCK_MONOTONIC) - start;
  qsort(took, (size_t)done, sizeof *took, by_value);
  char text[256];
  snprintf(text, sizeof text, "{\"n\":%ld,\"failed\":%d,\"wall_us\":%lld,\"p50_us\":%lld,\"p99_us\":%lld,\"max_us\":%lld}", done, failed,
           (long long)wall, (long long)took[done / 2], (long long)took[done * 99 / 100], (long long)took[done - 1]);
  put_result(&out, 1, text);
  put_state("idle");
  flush(&out);
  free(sent);
  free(took);
}

/* -------------------------------------------------------------------- main */

int main(int argc, char **argv) {
  int streaming = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-v")) { puts("2.1.328 (Claude Code)"); return 0; }
    if (!strcmp(argv[i], "--input-format=stream-json") ||
        (!strcmp(argv[i], "--input-format") && i + 1 < argc && !strcmp(argv[i + 1], "stream-json"))) streaming = 1;
  }
  load_settings();
  signal(SIGPIPE, SIG_IGN);
  if (cfg.linger == 2) signal(SIGTERM, SIG_IGN);

  long turns = 0;
  for (;;) {
    if (streaming) {
      char *line = read_line();
      if (!line) break;
      const char *type = get(line, "type");
      if (is(type, "control_request")) { answer_control(line); continue; }
      if (!is(type, "user")) continue;
    }
    put_state("running");
    if (!turns) {
      put_init(&out);
      flush(&out);
      for (long left = cfg.err_bytes; left > 0;) {
        static char noise[4096];
        if (!noise[0]) for (size_t i = 0; i < sizeof noise; i++) noise[i] = i % 80 == 79 ? '\n' : 'e';
        size_t k = left < (long)sizeof noise ? (size_t)left : sizeof noise;
        write_all(2, noise, k);
        left -= (long)k;
      }
    }
    turns++;
    if (!strcmp(cfg.mode, "echo")) {
      put_assistant(&out, cfg.size, 0);
      put_result(&out, turns, "ok");
      put_state("idle");
      flush(&out);
    } else if (turns == 1) {
      if (!strcmp(cfg.mode, "stream")) run_stream();
      else if (!strcmp(cfg.mode, "paced")) run_paced();
      else run_requests();
    }
    if (!streaming) break;
  }
  while (cfg.linger) pause();
  return 0;
}

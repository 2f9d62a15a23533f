/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <signal.h>
#include <string.h>

#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-event-text.h"
#include "asb-opensandbox-events.h"

/* The events of execd, however they are cut. JSON is written with ' for ". */

static const char whole[]
    = "{'type':'init','text':'0c1d','timestamp':1770000000001}\n\n"
      "{'type':'ping','text':'pong','timestamp':1770000000001}\n\n"
      "\r\n: a comment\nevent: x\nid: 7\nretry: 5\n"
      "data: {'type':'stdout','text':'h\\u00e4\\t\\u0000\\ud83d\\ude00 <\\u003c\\n',"
      "'timestamp':1770000000050}\n\n"
      "data:{'type':'stderr','text':'\\n','timestamp':1770000000050}\r\n\r\n"
      "{'type':'stdout','timestamp':1770000000051}\n\n"
      "{'type':'result','timestamp':1,'results':{'text':'4'}}\n\n"
      "{'type':'execution_count','execution_count':3,'timestamp':1}\n\n"
      "{'type':'status','text':'error','timestamp':1}\n\n"
      "{'type':'something','text':[]}\n"
      "{'type':'error','timestamp':1,'error':{'ename':'E','evalue':'3','traceback':['a',null,'b']}}"
      "\n\n"
      "{'type':'error','error':{'ename':'E','evalue':'x','traceback':null}}\n\n"
      "{'type':'execution_complete','execution_time':12,'timestamp':1}\n\n"
      "{'code':'RUNTIME_ERROR','message':'it broke'}";

static const char expected[]
    = "init 0c1d|ping pong|stdout h\303\244\t\\0\360\237\230\200 <<\n|stderr \n|stdout |result 4|"
      "count 3|status error|other|error E 3 a b|error E x|complete 12|failure RUNTIME_ERROR it "
      "broke|";

static void
describe (GString *told, AsbOpensandboxEvent *event)
{
  static const char *const names[] = { "other", "init",   "ping",  "stdout",   "stderr", "result",
                                       "count", "status", "error", "complete", "failure" };

  g_string_append (told, names[event->type]);
  if (event->results)
    g_string_append_printf (told, " %s", json_object_get_string_member (event->results, "text"));
  else if (event->type == ASB_OPENSANDBOX_EVENT_COUNT
           || event->type == ASB_OPENSANDBOX_EVENT_COMPLETE)
    g_string_append_printf (told, " %" G_GINT64_FORMAT, event->number);
  else if (event->text)
    {
      g_string_append_c (told, ' ');
      for (gsize i = 0; i < event->text->len; i++)
        if (event->text->str[i])
          g_string_append_c (told, event->text->str[i]);
        else
          g_string_append (told, "\\0");
    }
  if (event->name)
    g_string_append_printf (told, " %s %s", event->name, event->value);
  for (gsize i = 0; event->traceback && event->traceback[i]; i++)
    g_string_append_printf (told, " %s", event->traceback[i]);
  g_string_append_c (told, '|');
}

static void
take (AsbOpensandboxEvents *events, GString *told)
{
  for (;;)
    {
      g_auto (AsbOpensandboxEvent) event = { 0 };
      g_autoptr (GError) error = NULL;

      if (!asb_opensandbox_events_next (events, &event, &error))
        {
          g_assert_no_error (error);
          return;
        }
      describe (told, &event);
    }
}

static char *
parse_pieces (const char *text, gsize size, gsize first, gsize piece)
{
  g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
  g_autoptr (GString) told = g_string_new (NULL);

  for (gsize at = 0, n = first; at < size; at += n, n = piece)
    {
      asb_opensandbox_events_push (events, text + at, MIN (n, size - at));
      take (events, told);
    }
  asb_opensandbox_events_end (events);
  take (events, told);
  return g_string_free (g_steal_pointer (&told), FALSE);
}

static void
test_split (void)
{
  g_autofree char *text = g_strdelimit (g_strdup (whole), "'", '"');
  gsize size = strlen (text);

  g_test_summary ("Cut in two at each byte, and into pieces of each size");

  for (gsize i = 1; i <= size; i++)
    {
      g_autofree char *in_two = parse_pieces (text, size, i, size);
      g_autofree char *in_pieces = parse_pieces (text, size, i, i);

      g_assert_cmpstr (in_two, ==, expected);
      g_assert_cmpstr (in_pieces, ==, expected);
    }
}

static void
test_cut_short (void)
{
  g_autofree char *text = g_strdelimit (g_strdup (whole), "'", '"');

  g_test_summary ("Ended at each byte, it is an error or what came before");

  for (gsize i = 0; i < strlen (text); i++)
    {
      g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
      g_autoptr (GString) told = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      gboolean more = TRUE;

      asb_opensandbox_events_push (events, text, i);
      asb_opensandbox_events_end (events);
      while (more)
        {
          g_auto (AsbOpensandboxEvent) event = { 0 };

          more = asb_opensandbox_events_next (events, &event, &error);
          if (more)
            describe (told, &event);
        }
      g_assert_true (g_str_has_prefix (expected, told->str));
      if (error)
        g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

static void
test_refused (void)
{
  static const char *const refused[] = {
    "<html>502 Bad Gateway</html>\n",
    "[]\n",
    "7\n",
    "{}\n",
    "{\"type\":3}\n",
    "{\"type\":\"stdout\",\"text\":{}}\n",
    "{\"type\":\"stdout\",\"text\":\"a\",\"timestamp\":1}}\n",
    "{\"type\":\"stdout\",\"text\":\"\\ud83d\",\"timestamp\":1}\n",
    "{\"type\":\"stdout\",\"text\":\"\\q\",\"timestamp\":1}\n",
    "{\"type\":\"stdout\",\"text\":\"\377\",\"timestamp\":1}\n",
    "{\"type\":\"error\"}\n",
    "{\"type\":\"error\",\"error\":[]}\n",
    "{\"code\":7}\n",
    "{\"type\":\"execution_complete\",\"execution_time\":\"1\"}\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
      g_auto (AsbOpensandboxEvent) event = { 0 };
      g_autoptr (GError) first = NULL;
      g_autoptr (GError) second = NULL;

      asb_opensandbox_events_push (events, refused[i], strlen (refused[i]));
      g_assert_false (asb_opensandbox_events_next (events, &event, &first));
      g_assert_error (first, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_false (asb_opensandbox_events_next (events, &event, &second));
      g_assert_error (second, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
}

/* What becomes the text of an error is one line that can be shown. */
static void
test_failure_text (void)
{
  g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
  g_auto (AsbOpensandboxEvent) event = { 0 };
  g_autofree char *long_text = g_strnfill (5000, 'x');
  g_autofree char *line = g_strdup_printf ("{\"code\":\"A\\u001b[2J\",\"message\":\"a\\nb<html>%"
                                           "s\"}\n{\"code\":\"B\",\"message\":\"%s\"}\n"
                                           "{\"code\":\"C\"}\n",
                                           long_text, long_text);
  g_autoptr (GError) error = NULL;

  asb_opensandbox_events_push (events, line, strlen (line));
  g_assert_true (asb_opensandbox_events_next (events, &event, &error));
  g_assert_cmpint (event.type, ==, ASB_OPENSANDBOX_EVENT_FAILURE);
  g_assert_cmpstr (event.name, ==, "A [2J");
  g_assert_cmpstr (event.value, ==, "a b");
  asb_opensandbox_event_clear (&event);
  g_assert_true (asb_opensandbox_events_next (events, &event, &error));
  g_assert_cmpuint (strlen (event.value), <=, 400);
  asb_opensandbox_event_clear (&event);
  g_assert_true (asb_opensandbox_events_next (events, &event, &error));
  g_assert_cmpstr (event.value, ==, "no reason given");
}

static void
test_endless (void)
{
  g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
  g_auto (AsbOpensandboxEvent) event = { 0 };
  g_autoptr (GError) error = NULL;
  char bytes[65536];

  g_test_summary ("A line without an end takes no more than it may");

  memset (bytes, ' ', sizeof bytes);
  for (int i = 0; i < 1000 && !error; i++)
    {
      asb_opensandbox_events_push (events, bytes, sizeof bytes);
      asb_opensandbox_events_next (events, &event, &error);
    }
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static void
test_text (void)
{
  gboolean is_stderr;
  static const char *const others[] = {
    "{\"type\":\"stdout\",\"text\":\"a\"}",
    "{\"type\":\"stdout\",\"text\":\"a\",\"timestamp\":}",
    "{\"type\":\"stdout\",\"text\":\"a\",\"timestamp\":01}",
    "{\"type\":\"stdout\",\"text\":\"a\",\"timestamp\":1} ",
    "{\"type\":\"stdout\",\"text\":\"a\\",
    "{\"type\":\"stdout\",\"text\":\"\\u12",
    "{\"type\":\"stdout\",\"text\":\"\\udc00\",\"timestamp\":1}",
    "{\"type\":\"stdout\",\"text\":\"\\ud800\\u0041\",\"timestamp\":1}",
    "{\"type\":\"init\",\"text\":\"a\",\"timestamp\":1}",
    "",
  };

  g_test_summary ("What is not written as execd writes it is left to the whole parser");

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_null (asb_opensandbox_event_text_parse (others[i], strlen (others[i]), &is_stderr));
}

static void
check_end (const char *value, const char *words, int exit_status, int term_signal)
{
  g_auto (AsbOpensandboxEvent) event = { .type = ASB_OPENSANDBOX_EVENT_ERROR };
  AsbOpensandboxCommandEnd end = { 0 };

  event.name = g_strdup ("CommandExecError");
  event.value = g_strdup (value);
  event.traceback = g_new0 (char *, 2);
  event.traceback[0] = g_strdup (words);
  asb_opensandbox_command_end_take (&end, &event);
  g_assert_cmpint (end.has_exit_status, ==, exit_status >= 0);
  if (exit_status >= 0)
    g_assert_cmpint (end.exit_status, ==, exit_status);
  g_assert_cmpint (end.term_signal, ==, term_signal);
  g_assert_true (!end.message || (strlen (end.message) <= 400 && !strpbrk (end.message, "\n\033")));
  asb_opensandbox_command_end_clear (&end);
}

static void
test_end (void)
{
  g_autofree char *long_text = g_strnfill (5000, 'x');

  g_test_summary ("An end nobody understands is never a 0");

  check_end ("3", "exit status 3", 3, 0);
  check_end ("255", "exit status 255", 255, 0);
  check_end ("-1", "signal: killed", -1, SIGKILL);
  check_end ("-1", "signal: segmentation fault (core dumped)", -1, SIGSEGV);
  check_end ("-1", "signal: signal 35", -1, 35);
  check_end ("-1", "signal: signal 99", -1, 0);
  check_end ("-1", "context deadline exceeded", -1, 0);
  check_end ("256", "exit status 256", -1, 0);
  check_end ("99999999999", "", -1, 0);
  check_end ("", "", -1, 0);
  check_end ("-1", long_text, -1, 0);
  check_end ("a\nb\033[2J", "", -1, 0);
  check_end ("fork/exec /bin/bash: no such file or directory", "", -1, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/events/split", test_split);
  g_test_add_func ("/opensandbox/events/cut-short", test_cut_short);
  g_test_add_func ("/opensandbox/events/refused", test_refused);
  g_test_add_func ("/opensandbox/events/endless", test_endless);
  g_test_add_func ("/opensandbox/events/failure-text", test_failure_text);
  g_test_add_func ("/opensandbox/events/text", test_text);
  g_test_add_func ("/opensandbox/events/end", test_end);
  return g_test_run ();
}

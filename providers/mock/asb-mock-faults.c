/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-faults.h"

#include "asb-mock-variant.h"

#define EVERY_OPERATION "*"

typedef struct
{
  GVariant *source;
  char *operation;
  gint64 call; /* counted from 1 since the rule stands; 0: every one */
  gint64 n_seen;
  AsbMockFault fault;
  int code;
  char *message;
  char *provider_error_code;
  gboolean retryable;
} AsbMockRule;

struct _AsbMockFaults
{
  GMutex mutex;
  GPtrArray *rules;
  GHashTable *counts; /* operation → guint64 */
};

static const char *const kind_names[] = {
  [ASB_MOCK_FAULT_NONE] = "none",   [ASB_MOCK_FAULT_FAIL] = "fail",
  [ASB_MOCK_FAULT_DELAY] = "delay", [ASB_MOCK_FAULT_HOLD] = "hold",
  [ASB_MOCK_FAULT_DROP] = "drop",   [ASB_MOCK_FAULT_WRONG_TYPE] = "wrong-type",
  [ASB_MOCK_FAULT_EMPTY] = "empty", [ASB_MOCK_FAULT_BREAK] = "break",
};

static const char *const rule_keys[]
    = { "operation", "fault", "call",     "code",        "message",
        "retryable", "done",  "delay-ms", "after-bytes", "provider-error-code",
        NULL };

void
asb_mock_fault_clear (AsbMockFault *fault)
{
  g_clear_error (&fault->error);
}

static void
rule_free (gpointer data)
{
  AsbMockRule *rule = data;

  g_clear_pointer (&rule->source, g_variant_unref);
  g_clear_pointer (&rule->operation, g_free);
  g_clear_pointer (&rule->message, g_free);
  g_clear_pointer (&rule->provider_error_code, g_free);
  g_free (rule);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbMockRule, rule_free)

AsbMockFaults *
asb_mock_faults_new (void)
{
  AsbMockFaults *self = g_new0 (AsbMockFaults, 1);

  g_mutex_init (&self->mutex);
  self->rules = g_ptr_array_new_with_free_func (rule_free);
  self->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
asb_mock_faults_free (AsbMockFaults *self)
{
  g_clear_pointer (&self->rules, g_ptr_array_unref);
  g_clear_pointer (&self->counts, g_hash_table_unref);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static gboolean
parse_kind (GVariant *source, AsbMockFaultKind *kind, GError **error)
{
  g_autofree char *name = NULL;

  if (!asb_mock_variant_get_string (source, "fault", &name, error))
    return FALSE;
  for (gsize i = ASB_MOCK_FAULT_FAIL; i < G_N_ELEMENTS (kind_names); i++)
    if (g_strcmp0 (name, kind_names[i]) == 0)
      {
        *kind = (AsbMockFaultKind)i;
        return TRUE;
      }
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "There is no fault “%s”",
               name ? name : "");
  return FALSE;
}

static gboolean
parse_error (GVariant *source, AsbMockRule *rule, GError **error)
{
  g_autofree char *code = NULL;

  rule->code = ASB_ERROR_PROVIDER;
  if (!asb_mock_variant_get_string (source, "code", &code, error)
      || !asb_mock_variant_get_string (source, "message", &rule->message, error)
      || !asb_mock_variant_get_string (source, "provider-error-code", &rule->provider_error_code,
                                       error)
      || !asb_mock_variant_get_boolean (source, "retryable", &rule->retryable, error))
    return FALSE;
  if (!code || asb_error_code_from_string (code, &rule->code))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "There is no error code “%s”", code);
  return FALSE;
}

static AsbMockRule *
parse_rule (GVariant *source, GError **error)
{
  g_autoptr (AsbMockRule) rule = g_new0 (AsbMockRule, 1);
  gint64 delay_ms = 0;

  rule->source = g_variant_ref_sink (source);
  if (!asb_mock_variant_check_keys (source, rule_keys, error)
      || !asb_mock_variant_get_string (source, "operation", &rule->operation, error)
      || !parse_kind (source, &rule->fault.kind, error)
      || !asb_mock_variant_get_integer (source, "call", 0, G_MAXINT64, &rule->call, error)
      || !asb_mock_variant_get_boolean (source, "done", &rule->fault.done, error)
      || !asb_mock_variant_get_integer (source, "delay-ms", 0, G_MAXINT, &delay_ms, error)
      || !asb_mock_variant_get_integer (source, "after-bytes", 0, G_MAXINT64,
                                        &rule->fault.after_bytes, error)
      || !parse_error (source, rule, error))
    return NULL;
  if (!rule->operation)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A fault needs the member “operation”");
      return NULL;
    }
  rule->fault.delay_ms = (guint)delay_ms;
  return g_steal_pointer (&rule);
}

gboolean
asb_mock_faults_add (AsbMockFaults *self, GVariant *source, GError **error)
{
  AsbMockRule *rule = parse_rule (source, error);

  if (!rule)
    {
      g_prefix_error (error, "Could not add a fault: ");
      return FALSE;
    }
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->rules, rule);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

void
asb_mock_faults_remove_all (AsbMockFaults *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  g_ptr_array_set_size (self->rules, 0);
}

GVariant *
asb_mock_faults_to_variant (AsbMockFaults *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < self->rules->len; i++)
    g_variant_builder_add_value (&builder, ((AsbMockRule *)self->rules->pdata[i])->source);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static void
add_count (AsbMockFaults *self, const char *operation)
{
  guint64 *count = g_hash_table_lookup (self->counts, operation);

  if (!count)
    {
      count = g_new0 (guint64, 1);
      g_hash_table_insert (self->counts, g_strdup (operation), count);
    }
  (*count)++;
}

static gboolean
rule_matches (AsbMockRule *rule, const char *operation)
{
  if (!g_str_equal (rule->operation, operation) && !g_str_equal (rule->operation, EVERY_OPERATION))
    return FALSE;
  rule->n_seen++;
  return rule->call == 0 || rule->call == rule->n_seen;
}

/* A new one each time: whoever gets it adds to its details. */
static GError *
new_error (AsbMockRule *rule)
{
  g_autoptr (AsbErrorInfo) info
      = g_object_new (ASB_TYPE_ERROR_INFO, "retryable", rule->retryable, "provider-error-code",
                      rule->provider_error_code, NULL);

  return asb_error_new_with_info (
      rule->code, rule->message ? rule->message : "The mock was told to fail", info);
}

void
asb_mock_faults_count (AsbMockFaults *self, const char *operation, AsbMockFault *fault)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbMockRule *found = NULL;

  add_count (self, operation);
  for (guint i = 0; i < self->rules->len; i++)
    if (rule_matches (self->rules->pdata[i], operation) && !found)
      found = self->rules->pdata[i];
  if (!found)
    return;
  *fault = found->fault;
  fault->error = new_error (found);
}

GVariant *
asb_mock_faults_get_counts (AsbMockFaults *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GVariantBuilder builder;
  GHashTableIter iter;
  gpointer operation, count;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  g_hash_table_iter_init (&iter, self->counts);
  while (g_hash_table_iter_next (&iter, &operation, &count))
    g_variant_builder_add (&builder, "{st}", (const char *)operation, *(guint64 *)count);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

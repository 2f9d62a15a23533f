/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-memory-log.h"

#include <string.h>

struct _AsbMemoryLog
{
  GQueue operations;      /* AsbMemoryOperation, in the order of their start */
  GHashTable *by_event;   /* event id → its link in the queue */
  GHashTable *change_ids; /* of all changes; the ids belong to the changes */
  GHashTable *left_out;   /* event ids of operations that were not recorded for lack of room */
  GTree *changes;         /* seq → AsbMemoryOperation */
  gint64 last_operation_seq;
  gint64 last_change_seq;
  gint64 lost_seq; /* the highest change that was deleted */
  guint64 size;
};

static int
compare_seqs (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 first = *(const gint64 *)a, second = *(const gint64 *)b;

  return first < second ? -1 : first > second;
}

AsbMemoryLog *
asb_memory_log_new (void)
{
  AsbMemoryLog *self = g_new0 (AsbMemoryLog, 1);

  g_queue_init (&self->operations);
  self->by_event = g_hash_table_new (g_str_hash, g_str_equal);
  self->change_ids = g_hash_table_new (g_str_hash, g_str_equal);
  self->left_out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->changes = g_tree_new_full (compare_seqs, NULL, NULL, NULL);
  return self;
}

void
asb_memory_log_free (AsbMemoryLog *self)
{
  g_clear_pointer (&self->changes, g_tree_unref);
  g_clear_pointer (&self->change_ids, g_hash_table_unref);
  g_clear_pointer (&self->left_out, g_hash_table_unref);
  g_clear_pointer (&self->by_event, g_hash_table_unref);
  g_queue_clear_full (&self->operations, (GDestroyNotify)asb_memory_operation_free);
  g_free (self);
}

AsbMemoryOperation *
asb_memory_log_find (AsbMemoryLog *self, const char *event_id)
{
  GList *link = g_hash_table_lookup (self->by_event, event_id);

  return link ? link->data : NULL;
}

static gint64
last_change_of (AsbMemoryOperation *operation)
{
  AsbMemoryChange *change = operation->changes->pdata[operation->changes->len - 1];

  return change->seq;
}

static void
delete_operation (AsbMemoryLog *self, AsbMemoryOperation *operation)
{
  GList *link = g_hash_table_lookup (self->by_event, operation->event_id);

  for (guint i = 0; i < operation->changes->len; i++)
    {
      AsbMemoryChange *change = operation->changes->pdata[i];

      g_tree_remove (self->changes, &change->seq);
      g_hash_table_remove (self->change_ids, change->change_id);
    }
  self->lost_seq = MAX (self->lost_seq, last_change_of (operation));
  self->size -= operation->size;
  g_hash_table_remove (self->by_event, operation->event_id);
  g_queue_delete_link (&self->operations, link);
  asb_memory_operation_free (operation);
}

/* Checking a batch. */

typedef struct
{
  GHashTable *starting; /* event id → type, of this batch */
  GHashTable *ending;   /* event id → status, of this batch */
  GHashTable *touched;  /* event ids of this batch */
  guint n_new;          /* operations */
  guint64 size;
} AsbMemoryPlan;

static void
plan_clear (AsbMemoryPlan *plan)
{
  g_clear_pointer (&plan->starting, g_hash_table_unref);
  g_clear_pointer (&plan->ending, g_hash_table_unref);
  g_clear_pointer (&plan->touched, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbMemoryPlan, plan_clear)

static gboolean
refuse (GError **error, const char *event_id, const char *why)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "The operation “%s” %s", event_id,
               why);
  return FALSE;
}

static const char *
type_of (AsbMemoryLog *self, AsbMemoryPlan *plan, const char *event_id)
{
  AsbMemoryOperation *operation = asb_memory_log_find (self, event_id);

  return operation ? operation->operation_type : g_hash_table_lookup (plan->starting, event_id);
}

static gboolean
check_start (AsbMemoryLog *self, AsbMemoryPlan *plan, const AsbMemoryRecord *record, GError **error)
{
  const char *type = type_of (self, plan, record->event_id);

  if (type && !g_str_equal (type, record->text))
    return refuse (error, record->event_id, "was started as another type");
  if (!type)
    {
      g_hash_table_insert (plan->starting, record->event_id, record->text);
      plan->n_new++;
    }
  return TRUE;
}

static gboolean
check_end (AsbMemoryLog *self, AsbMemoryPlan *plan, const AsbMemoryRecord *record, GError **error)
{
  AsbMemoryOperation *operation = asb_memory_log_find (self, record->event_id);
  const char *status = g_hash_table_lookup (plan->ending, record->event_id);

  if (!status && operation && asb_memory_operation_is_finished (operation))
    status = operation->status;
  if (status && !g_str_equal (status, record->text))
    return refuse (error, record->event_id, "is completed otherwise already");
  g_hash_table_insert (plan->ending, record->event_id, record->text);
  return TRUE;
}

static gboolean
is_of_interest (AsbMemoryLog *self, const AsbMemoryRecord *record)
{
  return !g_hash_table_contains (self->change_ids, record->change_id)
         && !g_hash_table_contains (self->left_out, record->event_id);
}

static gboolean
check_record (AsbMemoryLog *self, AsbMemoryPlan *plan, const AsbMemoryRecord *record,
              GError **error)
{
  if (!is_of_interest (self, record))
    return TRUE;
  plan->size += record->size;
  g_hash_table_add (plan->touched, record->event_id);
  if (record->type == ASB_MEMORY_RECORD_STARTED)
    return check_start (self, plan, record, error);
  if (!type_of (self, plan, record->event_id))
    return refuse (error, record->event_id, "was never started");
  return record->type != ASB_MEMORY_RECORD_COMPLETED || check_end (self, plan, record, error);
}

static gboolean
make_plan (AsbMemoryLog *self, GPtrArray *records, AsbMemoryPlan *plan, GError **error)
{
  plan->starting = g_hash_table_new (g_str_hash, g_str_equal);
  plan->ending = g_hash_table_new (g_str_hash, g_str_equal);
  plan->touched = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < records->len; i++)
    if (!check_record (self, plan, records->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* Room. */

static gboolean
has_room (AsbMemoryLog *self, const AsbMemoryPlan *plan, const AsbMemoryLimits *limits)
{
  return self->operations.length + (guint64)plan->n_new <= limits->max_operations
         && self->size + plan->size <= limits->max_bytes;
}

/* An operation that the batch adds to stays. */
static AsbMemoryOperation *
find_oldest_finished (AsbMemoryLog *self, const AsbMemoryPlan *plan, gint64 protected_seq)
{
  for (GList *link = self->operations.head; link; link = link->next)
    {
      AsbMemoryOperation *operation = link->data;

      if (asb_memory_operation_is_finished (operation)
          && last_change_of (operation) <= protected_seq
          && !(plan && g_hash_table_contains (plan->touched, operation->event_id)))
        return operation;
    }
  return NULL;
}

static gboolean
make_room (AsbMemoryLog *self, const AsbMemoryPlan *plan, const AsbMemoryLimits *limits)
{
  AsbMemoryOperation *oldest;

  while (limits->delete_oldest && !has_room (self, plan, limits)
         && (oldest = find_oldest_finished (self, plan, G_MAXINT64)))
    delete_operation (self, oldest);
  return has_room (self, plan, limits);
}

/* Applying: nothing can fail here. */

static void
start (AsbMemoryLog *self, const AsbMemoryRecord *record)
{
  AsbMemoryOperation *operation;

  if (asb_memory_log_find (self, record->event_id))
    return;
  operation = asb_memory_operation_new (record, ++self->last_operation_seq);
  g_queue_push_tail (&self->operations, operation);
  g_hash_table_insert (self->by_event, operation->event_id, self->operations.tail);
  self->size += operation->size;
}

static void
apply_to_operation (AsbMemoryLog *self, AsbMemoryOperation *operation,
                    const AsbMemoryRecord *record, const AsbMemoryLimits *limits)
{
  switch (record->type)
    {
    case ASB_MEMORY_RECORD_OUTPUT:
      asb_memory_operation_add_output (operation, record, limits->captured,
                                       limits->max_operation_output_bytes);
      break;
    case ASB_MEMORY_RECORD_COMPLETED:
      asb_memory_operation_complete (operation, record);
      break;
    case ASB_MEMORY_RECORD_STORAGE_STATE:
      g_free (operation->storage_state);
      operation->storage_state = g_strdup (record->text);
      break;
    default:
      break;
    }
}

static void
apply_record (AsbMemoryLog *self, const AsbMemoryRecord *record, const AsbMemoryLimits *limits)
{
  AsbMemoryOperation *operation;
  AsbMemoryChange *change;
  gsize before;

  if (!is_of_interest (self, record))
    return;
  if (record->type == ASB_MEMORY_RECORD_STARTED)
    start (self, record);
  operation = asb_memory_log_find (self, record->event_id);
  if (record->type == ASB_MEMORY_RECORD_OUTPUT && limits->no_output)
    {
      operation->output_truncated = TRUE;
      return;
    }
  before = operation->size;
  apply_to_operation (self, operation, record, limits);
  asb_memory_operation_add_change (operation, record, ++self->last_change_seq);
  self->size += operation->size - before;

  change = operation->changes->pdata[operation->changes->len - 1];
  g_tree_insert (self->changes, &change->seq, operation);
  g_hash_table_add (self->change_ids, change->change_id);
}

/* The operation is done without a record: what comes of it later is left out too. */
static void
leave_out (AsbMemoryLog *self, const AsbMemoryPlan *plan)
{
  GHashTableIter iter;
  gpointer event_id;

  g_hash_table_iter_init (&iter, plan->starting);
  while (g_hash_table_iter_next (&iter, &event_id, NULL))
    g_hash_table_add (self->left_out, g_strdup (event_id));
}

static void
forget_left_out (AsbMemoryLog *self, GPtrArray *records)
{
  for (guint i = 0; i < records->len; i++)
    {
      const AsbMemoryRecord *record = records->pdata[i];

      if (record->type == ASB_MEMORY_RECORD_COMPLETED)
        g_hash_table_remove (self->left_out, record->event_id);
    }
}

gboolean
asb_memory_log_apply (AsbMemoryLog *self, GPtrArray *records, const AsbMemoryLimits *limits,
                      GError **error)
{
  g_auto (AsbMemoryPlan) plan = { 0 };
  AsbMemoryLimits now = *limits;
  gboolean has_place;

  if (!make_plan (self, records, &plan, error))
    return FALSE;
  has_place = make_room (self, &plan, limits);
  if (!has_place && plan.n_new > 0 && !limits->stop)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_HISTORY_STORAGE_EXHAUSTED,
                           "The record in memory is full");
      return FALSE;
    }
  if (!has_place && plan.n_new > 0)
    leave_out (self, &plan);
  /* An operation that runs is recorded to its end, with less output if need be. */
  now.no_output = !has_place;
  for (guint i = 0; i < records->len; i++)
    apply_record (self, records->pdata[i], &now);
  forget_left_out (self, records);
  return TRUE;
}

/* Reading. */

gint64
asb_memory_log_get_min_seq (AsbMemoryLog *self)
{
  GTreeNode *first = g_tree_node_first (self->changes);

  return first ? *(gint64 *)g_tree_node_key (first) : 0;
}

gint64
asb_memory_log_get_max_seq (AsbMemoryLog *self)
{
  return self->last_change_seq;
}

guint64
asb_memory_log_get_size (AsbMemoryLog *self)
{
  return self->size;
}

guint
asb_memory_log_get_n_operations (AsbMemoryLog *self)
{
  return self->operations.length;
}

static AsbMemoryChange *
find_change (AsbMemoryOperation *operation, gint64 seq)
{
  for (guint i = 0; i < operation->changes->len; i++)
    {
      AsbMemoryChange *change = operation->changes->pdata[i];

      if (change->seq == seq)
        return change;
    }
  return NULL;
}

static guint64
size_of_change (AsbMemoryOperation *operation, AsbMemoryChange *change)
{
  return strlen (change->change_id) + strlen (operation->event_id) + strlen (change->type)
         + strlen (change->changed_at) + strlen (operation->operation_type)
         + strlen (operation->status);
}

static GListModel *
collect_changes (AsbMemoryLog *self, gint64 *seq, guint limit, guint64 max_bytes)
{
  GListStore *changes = g_list_store_new (ASB_TYPE_HISTORY_CHANGE);
  GTreeNode *node = g_tree_upper_bound (self->changes, seq);
  guint64 size = 0;

  for (guint n = 0; node && n < limit; n++, node = g_tree_node_next (node))
    {
      AsbMemoryOperation *operation = g_tree_node_value (node);
      AsbMemoryChange *change = find_change (operation, *(gint64 *)g_tree_node_key (node));
      g_autoptr (AsbHistoryChange) described = NULL;

      size += size_of_change (operation, change);
      if (n > 0 && size > max_bytes)
        break;
      described = asb_memory_operation_describe_change (operation, change);
      g_list_store_append (changes, described);
      *seq = change->seq;
    }
  return G_LIST_MODEL (changes);
}

/* Whoever starts at 0 has nothing that could be out of date. */
static gboolean
must_be_reset (AsbMemoryLog *self, gint64 after_seq)
{
  return after_seq > 0 && (after_seq < self->lost_seq || after_seq > self->last_change_seq);
}

gboolean
asb_memory_log_has_news (AsbMemoryLog *self, gint64 after_seq)
{
  return g_tree_upper_bound (self->changes, &after_seq) != NULL || must_be_reset (self, after_seq);
}

AsbHistoryPage *
asb_memory_log_query (AsbMemoryLog *self, gint64 after_seq, guint limit, guint64 max_bytes)
{
  gint64 seq = after_seq;
  g_autoptr (GListModel) changes = collect_changes (self, &seq, limit, max_bytes);

  return g_object_new (ASB_TYPE_HISTORY_PAGE, "changes", changes, "next-seq", seq,
                       "min-available-seq", asb_memory_log_get_min_seq (self), "max-seq",
                       self->last_change_seq, "reset-required", must_be_reset (self, after_seq),
                       NULL);
}

/* Cleaning up. */

static void
delete_old (AsbMemoryLog *self, gint64 protected_seq, const char *completed_before)
{
  GList *next;

  for (GList *link = self->operations.head; link; link = next)
    {
      AsbMemoryOperation *operation = link->data;

      next = link->next;
      if (asb_memory_operation_is_finished (operation)
          && last_change_of (operation) <= protected_seq
          && strcmp (operation->completed_at, completed_before) < 0)
        delete_operation (self, operation);
    }
}

void
asb_memory_log_cleanup (AsbMemoryLog *self, gint64 protected_seq, const char *completed_before,
                        guint64 max_bytes)
{
  AsbMemoryOperation *oldest;

  if (completed_before)
    delete_old (self, protected_seq, completed_before);
  while (self->size > max_bytes && (oldest = find_oldest_finished (self, NULL, protected_seq)))
    delete_operation (self, oldest);
}

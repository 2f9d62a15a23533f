// SPDX-License-Identifier: LGPL-2.1-or-later
// The API reads well from Vala: a provider of one's own, and a local sandbox.

class EmptyProvider : Object, Asb.Provider
{
  public string dup_name ()
  {
    return "empty";
  }

  public string dup_key ()
  {
    return "empty-1";
  }

  public string? dup_endpoint_fingerprint ()
  {
    return null;
  }

  public Asb.Capabilities get_capabilities ()
  {
    return new Asb.Capabilities ();
  }

  public void get_sandbox_vfunc (string sandbox_id, Task task)
  {
    task.return_error (new Asb.Error.SANDBOX_NOT_FOUND ("There is no sandbox “%s”", sandbox_id));
  }
}

void test_provider ()
{
  Asb.Provider provider = new EmptyProvider ();

  try
    {
      provider.get_sandbox_sync ("x");
      assert_not_reached ();
    }
  catch (Error error)
    {
      assert_true (error is Asb.Error.SANDBOX_NOT_FOUND);
      assert_cmpstr (error.message, CompareOperator.EQ, "There is no sandbox “x”");
    }

  try
    {
      provider.pause_sandbox_sync ("x");
      assert_not_reached ();
    }
  catch (Error error)
    {
      assert_true (error is Asb.Error.UNSUPPORTED_CAPABILITY);
    }
}

async void work (Asb.Backend backend) throws Error
{
  var result = yield backend.execute_async (new Asb.CommandSpec.for_shell ("printf hi; exit 3"), null);
  assert_cmpint (result.exit_status, CompareOperator.EQ, 3);
  assert_cmpstr (result.dup_stdout_text (), CompareOperator.EQ, "hi");
  var job = yield backend.start_job_async (new Asb.CommandSpec.for_shell ("exit 4"), null, null);
  var end = yield job.wait_async (null);
  assert_cmpint (end.exit_status, CompareOperator.EQ, 4);
  yield backend.close_async (null);
}

void test_local ()
{
  var options = new Asb.BackendOptions ();
  options.provider_name = "local";
  options.history = new Asb.HistoryConfig ();

  try
    {
      var backend = Asb.create_backend (options);
      var loop = new MainLoop ();
      work.begin (backend, (source, result) => {
        try
          {
            work.end (result);
          }
        catch (Error error)
          {
            assert_no_error (error);
          }
        loop.quit ();
      });
      loop.run ();
      assert_true (backend.closed);
    }
  catch (Error error)
    {
      assert_no_error (error);
    }
}

int main (string[] args)
{
  Test.init (ref args);
  Test.add_func ("/vala/provider", test_provider);
  Test.add_func ("/vala/local", test_local);
  return Test.run ();
}

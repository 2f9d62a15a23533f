// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider in Vala: a sandbox is a folder, which bubblewrap makes the root of whatever is run in
// it. Commands, terminals, files and the record come with the guest.
//
//     valac --pkg libasb-1 box_provider.vala && ./box_provider

public class BoxProvider : Asb.SimpleProvider
{
  private const string[] BWRAP = { "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
                                   "--clearenv", "sh", "-c", "exec \"$0\" \"$@\"" };

  protected override bool create (string id, Asb.SandboxSpec spec, Cancellable? cancellable)
      throws Error
  {
    var root = dup_folder (id);

    DirUtils.create_with_parents (root + "/tmp", 0755);
    DirUtils.create_with_parents (root + (spec.workdir ?? "/workspace"), 0755);
    foreach (unowned var name in new string[] { "bin", "lib", "lib64" })
      File.new_for_path (@"$root/$name").make_symbolic_link (@"usr/$name");
    return true;
  }

  protected override bool remove (string id, Cancellable? cancellable) throws Error
  {
    return end_guest (id, cancellable);
  }

  protected override IOStream open_program (string id, string[]? argv, Cancellable? cancellable)
      throws Error
  {
    string[] bwrap = { "bwrap", "--bind", dup_folder (id), "/" };

    foreach (unowned var word in BWRAP)
      bwrap += word;
    return new Asb.SubprocessStream (bwrap, argv);
  }

  protected override bool store_file (string id, string path, Bytes contents, uint mode,
                                      Cancellable? cancellable) throws Error
  {
    var file = dup_folder (id) + path;

    DirUtils.create_with_parents (Path.get_dirname (file), 0755);
    FileUtils.set_data (file, contents.get_data ());
    return FileUtils.chmod (file, (int) mode) == 0;
  }
}

int main ()
{
  var registry = new Asb.Registry ();

  try
    {
      registry.register_provider ("box", typeof (BoxProvider));

      var provider = registry.create_provider ("box", null);
      var options = new Asb.BackendOptions ();

      options.provider = provider;
      var backend = Asb.create_backend (options);
      var result = backend.execute (new Asb.CommandSpec.for_shell ("echo hello from $PWD"));

      print ("%s", result.dup_stdout_text ());
      backend.close ();
    }
  catch (Error error)
    {
      printerr ("%s\n", error.message);
      return 1;
    }
  return 0;
}

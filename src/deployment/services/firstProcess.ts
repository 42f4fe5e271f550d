/**
 * sh function `populated UNIT`: prints the first process of a service that runs, as the kernel's cgroups have it
 * (cgroups(7), systemd's default slice); nothing where that is not plain. It starts no program, where systemd would have
 * two daemons to ask.
 */
export const firstProcessFunction = `populated() {
  group=/sys/fs/cgroup/system.slice/$1
  if [ -r "$group/cgroup.procs" ]; then read -r first < "$group/cgroup.procs" && echo "$first"; fi
}`

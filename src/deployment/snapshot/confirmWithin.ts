import { quote } from '../../base/shellWords.ts'
import type { Transport } from '../../transport/transport.ts'
import type { Installation } from '../installedAccount.ts'
import { clusterPrefix } from '../layout.ts'
import { endRunScript, releaseScript, takeScript } from '../lock/lockScripts.ts'
import type { RunOwner } from '../lock/runOwner.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { unitDirectory } from '../services/systemdUnits.ts'
import { StepError } from '../stepError.ts'

/** Time limit of a run for its proof. */
export type ConfirmWithin = {
  /** Run that commits. */
  readonly owner: RunOwner
  /** Milliseconds after the start of the commit, without the time in which connectors drain. */
  readonly within: number
}

const unitNameOf = (cluster: string): string => `${clusterPrefix(cluster)}-confirm`

/** Returns sh that removes timer, service and script; nothing happens if there are none. */
const removeScript = ({ cluster, layout }: Installation): string => {
  const unit = `${unitDirectory}/${unitNameOf(cluster)}`
  return `if [ -f ${unit}.timer ] || [ -f ${unit}.service ]; then
  systemctl --quiet disable --now ${unitNameOf(cluster)}.timer 2>/dev/null
  rm -f ${unit}.timer ${unit}.service
  systemctl daemon-reload
fi
rm -rf ${quote(layout.confirm)}`
}

/** Returns sh with which a later run, which holds the lock, takes over from a run that armed the way back. */
export const takeOverScript = (confirmed: Installation): string =>
  `if [ -d ${quote(confirmed.layout.confirm)} ]; then (\n${removeScript(confirmed)}\n) </dev/null >/dev/null 2>&1; fi\n`

/**
 * Returns sh that arms the way back: a script in a folder that only root can open, and a timer of systemd that runs it,
 * also after a reboot. `script` restores the snapshot; standard input is its input, which may hold hashes.
 */
export function armScript(
  options: Installation & ConfirmWithin & { readonly script: string; readonly drainTimeout: number },
): string {
  const { cluster, layout, within, drainTimeout } = options
  const [unit, folder] = [unitNameOf(cluster), layout.confirm]
  const seconds = Math.ceil((within + drainTimeout) / 1000)
  const path = folder.replaceAll('%', '%%').replaceAll('$', () => '$$')
  const files = {
    [`${unitDirectory}/${unit}.service`]: `[Unit]
Description=Return cluster ${cluster} to its previous state: its installation was not confirmed
ConditionPathExists=|${folder.replaceAll('%', '%%')}/armed
ConditionPathExists=|${folder.replaceAll('%', '%%')}/restoring

[Service]
Type=oneshot
ExecStart=/bin/sh "${path}/restore"
TimeoutStartSec=infinity
`,
    [`${unitDirectory}/${unit}.timer`]: `[Unit]
Description=Wait ${seconds} s for muster to confirm the installation of cluster ${cluster}

[Timer]
OnActiveSec=${seconds}
AccuracySec=1s

[Install]
WantedBy=timers.target
`,
    '$f/restore': unattendedScript(options),
    '$f/armed': `${options.owner.id}\n`,
  }
  const writes = Object.entries(files).map(
    ([file, text]) =>
      `cat > ${file.startsWith('$') ? `"${file}"` : quote(file)} <<'END OF ${unit}'\n${text}END OF ${unit}`,
  )
  return `set -e
${takeOverScript(options)}
f=${quote(folder)}
rm -rf "$f"; rm -f ${quote(layout.wentBack)}
mkdir -m 700 "$f"
cat > "$f/input"
${writes.join('\n')}
chmod 644 ${unitDirectory}/${unit}.service ${unitDirectory}/${unit}.timer
systemctl daemon-reload
systemctl --quiet enable --now ${unit}.timer
sync -f "$f" ${unitDirectory} 2>/dev/null || sync`
}

/**
 * Returns the script of the timer. It ends the run first, so that no step of it goes on, and takes its lock; it waits
 * while a later run has that. A run that has confirmed, or a later one that has begun to work on the host, has removed
 * `armed` under the same lock. After a reboot that interrupted it, it goes on.
 */
function unattendedScript(options: Installation & ConfirmWithin & { readonly script: string }): string {
  const { cluster, layout, owner, script } = options
  const { root, confirm, wentBack } = layout
  const own = { ...owner, id: `${owner.id}-confirm`, operation: 'confirm-within' }
  const f = quote(confirm)
  return `umask 077
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd / || exit 1
is_armed() { grep -qxF ${quote(owner.id)} ${f}/armed 2>/dev/null || grep -qxF ${quote(owner.id)} ${f}/restoring 2>/dev/null; }
while is_armed; do
${endRunScript(root, owner.id)}
taken=$(
${takeScript({ installDirectory: root, owner: own, broken: owner.id })}
)
case $taken in
  taken*) break ;;
  held*) sleep 1 ;;
  *) printf '%s\n' "$taken" >&2; exit 1 ;;
esac
done
[ "\${taken:-}" = taken ] || exit 0
code=0
if is_armed && { mv -T ${f}/armed ${f}/restoring 2>/dev/null || [ -f ${f}/restoring ]; }; then
  (
${script}
  ) < ${f}/input
  code=$?
  if [ "$code" = 0 ]; then
    printf '%s %s\n' ${quote(owner.id)} "$(date -u +%Y-%m-%dT%H:%M:%SZ)" > ${quote(wentBack)}
${removeScript({ cluster, layout })}
  else mv -T ${f}/restoring ${f}/armed
  fi
fi
${releaseScript(root, own.id)}
exit "$code"
`
}

/** Confirms a host after its proof, before the time is over. Rejects with a `StepError` if it goes back already. */
export async function confirmHost(transport: Transport, confirmed: Installation): Promise<void> {
  const f = quote(confirmed.layout.confirm)
  const { stdout } = await runOrThrow(transport, {
    doing: 'confirming the installation',
    fix: 'Run the command again; see `systemctl status` of the timer on the host.',
    script: `if mv -T ${f}/armed ${f}/confirmed 2>/dev/null; then echo confirmed; fi
${removeScript(confirmed)}`,
  })
  if (stdout.raw().trim() === 'confirmed') return
  throw new StepError({
    host: transport.host,
    code: 'went-back',
    message: 'the host went back by itself before it was confirmed',
    fix: 'Install again with a longer --confirm-within.',
  })
}

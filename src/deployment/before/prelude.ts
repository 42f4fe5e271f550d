import { type Component, components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import { type Layout, unitDirectory, unitName } from '../layout.ts'
import { processFunctions } from '../services/processScripts.ts'

/** The installation whose state is copied and given back. */
export type Installed = { readonly cluster: string; readonly layout: Layout }

/**
 * sh functions for both scripts; `$root` is the working directory. `identity UNIT PIDFILE` prints what runs a
 * component, with pid and start time, so that one process is told from the next; nothing where none runs.
 */
export const prelude = `${processFunctions}
units=${unitDirectory}
booted() { [ -d /run/systemd/system ]; }
identity() {
  if booted && [ -f "$units/$1" ]; then
    case $(systemctl is-active "$1" 2>/dev/null) in
      active|activating|reloading)
        p=$(systemctl show -p MainPID "$1" | cut -d= -f2)
        echo "systemd $p $(born "$p")"
        return ;;
    esac
  fi
  if running "$2"; then echo "process $pid $start"; fi
}
`

/** One call of an sh function for each component that there may be: its name, its unit, its pid file. */
export const forEachComponent = ({ cluster, layout }: Installed, call: string): string =>
  components
    .map(
      (component) =>
        `${call} ${component} ${quote(unitName(cluster, component))} ${pidFile(layout, component)}`,
    )
    .join('\n')

const pidFile = (layout: Layout, component: Component): string => quote(layout.pidFile(component))

/** Files below the root that a run replaces or takes away, one by one. */
export const replacedFiles = ({ layout }: Installed): string =>
  [...components.map((component) => layout.settings(component)), layout.secretsFile]
    .map((path) => quote(path.slice(layout.root.length + 1)))
    .join(' ')

import { components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { ServiceData } from '../layout.ts'
import { type Processes, processFunctions } from '../services/process.ts'
import { unitDirectory, unitName } from '../services/systemdUnits.ts'

/** The installation whose state is copied and given back. */
export type Installed = Processes & { readonly data: ServiceData }

/**
 * sh functions for both scripts; `$root` is the working directory. `identity COMPONENT UNIT` prints what runs
 * a component, with pid and start time, so that one process is told from the next; nothing where none runs.
 */
export const prelude = (installed: Processes): string => `${processFunctions(installed)}
units=${unitDirectory}
booted() { [ -d /run/systemd/system ]; }
identity() {
  if booted && [ -f "$units/$2" ]; then
    case $(systemctl is-active "$2" 2>/dev/null) in
      active|activating|reloading)
        p=$(systemctl show -p MainPID "$2" | cut -d= -f2)
        echo "systemd $p $(born "$p")"
        return ;;
    esac
  fi
  if running "$1"; then echo "process $pid $start"; fi
}
`

/** One call of an sh function for each component that there may be: its name and its unit. */
export const forEachComponent = ({ cluster }: Processes, call: string): string =>
  components.map((component) => `${call} ${component} ${quote(unitName({ cluster, component }))}`).join('\n')

/** Files below the root that a run replaces or takes away, one by one. */
export const replacedFiles = ({ layout }: Processes): string =>
  [...components.map((component) => layout.settings(component)), layout.secretsFile, layout.account]
    .map((path) => quote(path.slice(layout.root.length + 1)))
    .join(' ')

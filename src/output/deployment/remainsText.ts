import { listOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import { accountRemoval } from '../../contracts/databaseAccounts.ts'

/** What `uninstall` does not remove. */
type Remains = {
  /** Accounts of the file in the database servers. */
  readonly accounts: readonly string[]
  /** State directory that is kept. */
  readonly state?: string
  /** Packed Node.js on the operator's machine, which every cluster uses. */
  readonly runtimes?: { readonly folder: string; readonly bytes: number }
}

/** Writes what remains after `uninstall`, and how to remove it; empty if nothing does. */
export function remainsText(
  { accounts, state, runtimes }: Remains,
  { width }: { readonly width: number },
): string {
  const lines = [
    ...(accounts.length === 0
      ? []
      : [
          ...wrap(
            `the database ${accounts.length === 1 ? 'account' : 'accounts'} ${listOf(accounts)}: muster has no rights to remove ${accounts.length === 1 ? 'it' : 'them'}. If nothing else uses ${accounts.length === 1 ? 'it' : 'them'}, run what this prints on the primary, and on every database without replication:`,
            { width, first: '- ', rest: '  ' },
          ),
          `    ${accountRemoval(accounts)}`,
        ]),
    ...(state === undefined
      ? []
      : wrap(
          `${state}: the certificate authority and the passwords, for a further installation. To delete it, run \`muster uninstall --purge\`.`,
          { width, first: '- ', rest: '  ' },
        )),
    ...(runtimes === undefined
      ? []
      : wrap(
          `${runtimes.folder} (${Math.ceil(runtimes.bytes / 1e6)} MB): the Node.js of hosts, which all clusters use. If no other cluster does, delete the folder.`,
          { width, first: '- ', rest: '  ' },
        )),
  ]
  return lines.length === 0 ? '' : ['What stays:', ...lines].map((line) => `${line}\n`).join('')
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Authority } from '../../src/certificates/authority.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { temporaryFolder } from './temporaryFolder.ts'

/** Files of the certificate of a host, signed by `signer`, and of the authority that it trusts. */
export async function hostFiles(
  name: string,
  { authority, signer = authority }: { readonly authority: Authority; readonly signer?: Authority },
): Promise<Required<ServerSettings['tls']>> {
  const folder = temporaryFolder()
  const { key, chain } = await issueLeaf({
    ...{ authority: signer, names: [name], addresses: [], lifetimeDays: 2, now: new Date() },
  })
  const write = (file: string, content: string): string => {
    writeFileSync(join(folder, file), content)
    return join(folder, file)
  }
  return {
    key: write('key.pem', key.reveal()),
    chain: write('chain.pem', chain),
    authorities: write('authorities.pem', authority.certificate),
  }
}

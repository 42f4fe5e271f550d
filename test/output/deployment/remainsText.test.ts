import { describe, expect, it } from 'vitest'
import { remainsText } from '../../../src/output/deployment/remainsText.ts'

describe('what stays after uninstall', () => {
  it('is named with the way to remove it', () => {
    const remains = {
      accounts: ["o'muster", 'muster_monitor'],
      state: '/srv/.muster/alpha',
      runtimes: { folder: '/home/ops/.cache/muster/runtimes', bytes: 43_600_000 },
    }
    expect(remainsText(remains, { width: 100 })).toMatchInlineSnapshot(`
      "What stays:
      - the database accounts o'muster and muster_monitor: muster has no rights to remove them. If nothing
        else uses them, run what this prints on the primary, and on every database without replication:
          SELECT CONCAT('DROP USER ', QUOTE(user), '@', QUOTE(host), ';') FROM mysql.user WHERE user IN ('o\\'muster', 'muster_monitor');
      - /srv/.muster/alpha: the certificate authority and the passwords, for a further installation. To
        delete it, run \`muster uninstall --purge\`.
      - /home/ops/.cache/muster/runtimes (44 MB): the Node.js of hosts, which all clusters use. If no
        other cluster does, delete the folder.
      "
    `)
  })

  it('is no text where nothing stays', () => {
    expect(remainsText({ accounts: [] }, { width: 100 })).toBe('')
    expect(remainsText({ accounts: ['muster'] }, { width: 100 })).toMatch(
      /^What stays:\n- the database account muster: muster has no rights to remove it\./,
    )
  })
})

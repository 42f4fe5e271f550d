import { startBrowser } from '../../test/support/browser.ts'
import { hasMariadb } from '../../test/support/mariadb.ts'
import { createMonitor, makeAgree, mariadbPair } from '../../test/support/mariadbPair.ts'
import { monitorSettings } from '../../test/support/monitorSettings.ts'
import { login, startDashboardManager } from './dashboardManager.ts'

/** Notes when a table first shows a word, and hands over the time of the state that its row tells. */
const untilShown = (word: string): string => `new Promise((resolve) => {
  const look = () => {
    const row = [...document.querySelectorAll('tr')].find((it) => it.textContent.includes('${word}'))
    if (row === undefined) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve({ at: Date.now(), since: row.querySelector('time')?.dateTime })))
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  look()
})`

type Shown = { readonly at: number; readonly since: string }

/** Kills a database, and measures the milliseconds from the verdict of its manager to the page in a browser. */
export async function verdictDelay(): Promise<unknown> {
  if (!hasMariadb) return { skipped: 'mariadbd is not here: install the package mariadb-server' }
  const pair = await mariadbPair((server) => createMonitor(server, 'watching'))
  try {
    await makeAgree(pair)
    await pair.replica.sql('SET GLOBAL read_only = 1', 'START ALL SLAVES')
    const datasources = [
      { name: 'db1', host: '127.0.0.1', port: pair.primary.port, role: 'primary' as const },
      { name: 'db2', host: '127.0.0.1', port: pair.replica.port, role: 'replica' as const },
    ]
    const manager = await startDashboardManager({
      services: { services: [{ name: 'alpha', datasources }] },
      monitor: monitorSettings,
    })
    const browser = await startBrowser({ authorities: [manager.authority], hosts: { db1: '127.0.0.1' } })
    try {
      const page = await browser.newPage()
      await page.goto(`https://db1:${manager.port}/dashboard/#/cluster/alpha`)
      await page.getByLabel('User').fill(login.user)
      await page.getByLabel('Password').fill(login.password)
      await page.getByRole('button', { name: 'Log in' }).click()
      const table = page.getByRole('table', { name: 'Data sources of alpha' })
      await table.getByRole('row').filter({ hasText: 'db2' }).filter({ hasText: 'ONLINE' }).waitFor()
      const shown = page.evaluate<Shown>(untilShown('FAILED'))
      const killed = Date.now()
      await pair.replica.kill()
      const { at, since } = await shown
      return {
        millisecondsAfterVerdict: at - Date.parse(since),
        millisecondsAfterKill: at - killed,
        limit: 1000,
      }
    } finally {
      await browser.close()
      await manager.stop()
    }
  } finally {
    await pair.end()
  }
}

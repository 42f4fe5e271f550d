import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { playOf } from '../dashboard/play.ts'
import { dashboardTests } from './support/dashboardTests.ts'

const open = dashboardTests()

const row = (page: Page, table: string | RegExp, name: string) =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}\\b`) }) })

it('the clusters come worst first, each with its reason', async () => {
  const { page } = await open({ at: '#/' })
  await page.getByRole('link', { name: 'beta' }).waitFor()
  await expect.poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['beta', 'alpha'])
  await expect
    .poll(() => page.locator('main').getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/DEGRADED[\s\S]*data source db3 has failed[\s\S]*and 4 more problems/),
      expect.stringMatching(/OK[\s\S]*Everything works/),
    ])
})

it('a cluster shows every problem in words with its host and its page of explain', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  const problems = page.getByRole('region', { name: 'Problems' }).getByRole('listitem')
  await expect.poll(() => problems.count()).toBe(5)
  await problems
    .filter({ hasText: 'replica db2 is 40 s behind' })
    .getByRole('link', { name: 'db2' })
    .waitFor()
  await problems.getByRole('link', { name: 'Explain writable-replica' }).click()
  await page.getByRole('heading', { level: 1, name: 'A replica that can be written' }).waitFor()
  await page.getByText("mariadb -e 'SET GLOBAL read_only = 1'").waitFor()
  expect(await page.locator('main').textContent()).not.toContain('`')
  await expect.poll(() => page.getByRole('code').allInnerTexts()).toContain('read_only')
  await page.getByRole('navigation').getByRole('link', { name: 'Certificates' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Show beta' }).click()
  await page.getByRole('heading', { level: 1, name: 'beta' }).waitFor()
})

it('a cluster shows who writes, who follows whom, states, lags, connections and clients', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await page
    .getByRole('img', {
      name: 'db1 is the primary of alpha; db2 and db3 follow db1; clients come through 2 connectors: db1 and db2.',
    })
    .waitFor()
  const text = (name: string): Promise<string> => row(page, 'Data sources of alpha', name).innerText()
  await expect.poll(() => text('db1')).toMatch(/primary[\s\S]*ONLINE[\s\S]*nobody[\s\S]*8/)
  await expect.poll(() => text('db2')).toMatch(/replica[\s\S]*ONLINE[\s\S]*db1[\s\S]*40 s/)
  await expect
    .poll(() => text('db3'))
    .toMatch(/replica[\s\S]*FAILED[\s\S]*for 12 min, by manager[\s\S]*ECONNREFUSED/)
  await expect
    .poll(() => row(page, 'Connectors of alpha', 'db2').innerText())
    .toMatch(/ON HOLD[\s\S]*4[\s\S]*3[\s\S]*10\.0\.0\.11:3307/)
  const service = page.getByRole('region', { name: 'Service alpha' })
  await expect.poll(() => service.innerText()).toMatch(/Writer db1[\s\S]*Policy AUTOMATIC/)
  await expect
    .poll(() => row(page, 'Hosts of beta', 'db3').innerText())
    .toMatch(/unreachable[\s\S]*ETIMEDOUT[\s\S]*does not respond/)
})

it('a host shows components, certificate, runs and the end of its log, reached from the picture', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await row(page, 'Hosts of beta', 'db3').getByRole('link', { name: 'db3' }).click()
  await page.getByRole('heading', { level: 1, name: 'db3' }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('db3')
  await expect.poll(() => row(page, 'Components of db3', 'manager').innerText()).toContain('does not respond')
  const certificate = page.getByRole('region', { name: 'Certificate' })
  await expect
    .poll(() => certificate.innerText())
    .toMatch(/300 days[\s\S]*CN=alpha authority[\s\S]*(a1b2c3d4){8}/)
  await page.getByText('db3 is FAILED: 3 checks failed').waitFor()
  await page.getByRole('table', { name: 'Recent runs' }).getByText('no route to db3').waitFor()
})

it('the end of a log is what is seen of it first, and again after a reload, also with a keyboard', async () => {
  const base = playOf('all')
  let lines = 200
  const { page } = await open({
    play: {
      ...base,
      host: (cluster, host) => {
        const details = base.host(cluster, host)
        const [line] = details.log ?? []
        if (line === undefined) throw new Error('the play has a log')
        return {
          ...details,
          log: Array.from({ length: lines }, (_, at) => ({ ...line, text: `line ${at}.` })),
        }
      },
    },
    at: '#/cluster/beta/host/db3',
  })
  const log = page.getByRole('list', { name: 'End of the log' })
  const isInView = (text: string) =>
    log.getByText(text, { exact: true }).evaluate((it) => {
      const { top, bottom } = it.getBoundingClientRect()
      const frame = it.closest('ol')?.getBoundingClientRect()
      return frame !== undefined && top >= frame.top && bottom <= frame.bottom + 1
    })
  await expect.poll(() => isInView('line 199.')).toBe(true)
  await log.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => isInView('line 0.')).toBe(true)
  lines = 201
  await page.getByRole('region', { name: 'End of the log' }).getByRole('button', { name: 'Reload' }).click()
  await expect.poll(() => isInView('line 200.')).toBe(true)
})

it('users show who may log in where, and where hosts differ', async () => {
  const { page } = await open({ at: '#/cluster/beta/users' })
  await page.getByText('Hosts differ in 2 users: grafana, oncall').waitFor()
  const cells = async (user: string): Promise<readonly string[]> =>
    (await page.getByRole('row').filter({ hasText: user }).getByRole('cell').allInnerTexts()).slice(0, 3)
  await expect.poll(() => cells('admin')).toEqual(['full', 'full', 'full'])
  await expect.poll(() => cells('grafana')).toEqual(['read', 'no such user', 'read'])
  await expect.poll(() => cells('oncall')).toEqual(['operate', 'operate', 'full'])
  await page.getByText('unreachable: connect ETIMEDOUT').waitFor()
})

it('certificates come by their end, with the days that are left', async () => {
  const { page } = await open({ at: '#/cluster/beta/certificates' })
  await page.getByRole('table', { name: 'Certificates' }).waitFor()
  await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual(['db1', 'db2', 'db3'])
  await expect.poll(() => row(page, 'Certificates', 'db1').innerText()).toContain('5 days')
})

it('runs show what was done when and by whom, and can be searched', async () => {
  const { page } = await open({ at: '#/cluster/beta/runs' })
  await page.getByRole('table', { name: 'Runs' }).waitFor()
  await expect
    .poll(() => page.getByRole('rowheader').allInnerTexts())
    .toEqual(['upgrade', 'managerShun alpha/db3', 'install', 'install', 'cert renew'])
  await page.getByRole('searchbox', { name: 'Find a run' }).fill('oncall')
  await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual(['managerShun alpha/db3'])
})

it('every link of the navigation leads to its page, with the focus on its heading and back again', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
  for (const title of ['Users', 'Certificates', 'Runs', 'Clusters']) {
    const link = page.getByRole('navigation').getByRole('link', { name: title })
    await link.click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe(title)
    expect(await link.getAttribute('aria-current')).toBe('page')
  }
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
})

it('the first thing that Tab reaches leads past the navigation', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
})

it.each(['#/cluster/none', '#/nonsense/%E0%A4', '#/cluster/beta/users/more'])(
  'the address %s, where nothing is, says so',
  async (at) => {
    const { page } = await open({ at })
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toMatch(/no|not/i)
    await page.locator('main').getByRole('link').first().waitFor()
  },
)

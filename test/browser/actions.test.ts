import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ActionRequest, ActionResponse, SessionPayload } from '../../src/contracts/dashboard.ts'
import { atSecond, dataSource, service } from '../dashboard/pictures.ts'
import { playOf } from '../dashboard/play.ts'
import type { Play } from '../dashboard/standIn.ts'
import { chooseAction } from './support/actions.ts'
import { dashboardTests } from './support/dashboardTests.ts'
import { switchedService, switchTask } from './support/switching.ts'

const open = dashboardTests()

/** The play `all` that keeps the actions it is asked for, and answers as told. */
function acting(answer: (request: ActionRequest) => ActionResponse | undefined = () => undefined) {
  const requests: ActionRequest[] = []
  const base = playOf('all')
  const play: Play = {
    ...base,
    act: (request) => {
      if (request.route !== 'managerSwitchPlan') requests.push(request)
      return answer(request) ?? base.act(request)
    },
  }
  return { play, requests }
}

/** The play `all` for somebody with a level. */
function withLevel(access: 'read' | 'operate' | 'full'): Play {
  const base = playOf('all')
  const session = (): SessionPayload => {
    const full = base.session()
    return { ...full, clusters: full.clusters.map((it) => ({ ...it, user: 'grafana', access })) }
  }
  return { ...base, session }
}

const alpha = '#/cluster/alpha'
const dialog = (page: Page) => page.getByRole('dialog')
const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })

it('a shun names cluster, host and effect, and is done by every manager once the name was typed', async () => {
  const { play, requests } = acting()
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'data source db2', action: /^Shun db2/ })
  await expect.poll(() => dialog(page).innerText()).toContain('until somebody welcomes it back')
  await expect.poll(() => dialog(page).innerText()).toMatch(/In cluster alpha, on 3 hosts/)
  expect(await confirm(page, 'Shun db2').isDisabled()).toBe(true)
  const typed = dialog(page).getByLabel('Type db2 to confirm')
  await typed.fill('db1')
  expect(await confirm(page, 'Shun db2').isDisabled()).toBe(true)
  await typed.press('Enter')
  expect(requests).toEqual([])
  await typed.fill('db2')
  await confirm(page, 'Shun db2').click()
  await dialog(page).getByRole('status').filter({ hasText: 'done on 3 hosts' }).waitFor()
  expect(requests.map(({ host }) => host).toSorted()).toEqual(['db1', 'db2', 'db3'])
  for (const request of requests) {
    expect(request).toEqual({
      cluster: 'alpha',
      host: expect.any(String),
      component: 'manager',
      route: 'managerShun',
      params: { service: 'alpha', datasource: 'db2' },
      query: { peers: 'alone' },
    })
  }
})

it('a host that refuses is named with its reason beside those that did it', async () => {
  const { play } = acting(({ host }) =>
    host === 'db3' ? { status: 409, code: 'conflict', detail: '<b>db3</b> is being switched' } : undefined,
  )
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'data source db2', action: /^Shun db2/ })
  await dialog(page).getByLabel('Type db2 to confirm').fill('db2')
  await confirm(page, 'Shun db2').click()
  await dialog(page).getByText('failed on 1 of 3 hosts').waitFor()
  await dialog(page).getByText('<b>db3</b> is being switched').waitFor()
})

it('a host that did it names what does not hold', async () => {
  const remarks = ['The connector of <b>db3</b> is not known to act on the change yet.']
  const { play } = acting(({ host }) =>
    host === 'db3' ? { status: 200, payload: { changed: true, remarks } } : undefined,
  )
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'data source db2', action: /^Shun db2/ })
  await dialog(page).getByLabel('Type db2 to confirm').fill('db2')
  await confirm(page, 'Shun db2').click()
  await dialog(page).getByText('done on 3 hosts, not complete on 1').waitFor()
  await dialog(page).getByText('The connector of <b>db3</b> is not known to act').waitFor()
})

it('an action that is easily taken back is confirmed without typing, and goes to one host', async () => {
  const { play, requests } = acting()
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'connector of db2', action: /on hold/ })
  await expect.poll(() => dialog(page).innerText()).toContain('by the connector of db2')
  expect(
    await dialog(page)
      .getByLabel(/to confirm/)
      .count(),
  ).toBe(0)
  await confirm(page, 'Put connector of db2 on hold').click()
  await dialog(page).getByText('done on 1 host').waitFor()
  expect(requests).toEqual([
    { cluster: 'alpha', host: 'db2', component: 'connector', route: 'connectorOnhold', params: {} },
  ])
})

it('nothing is done by Escape or Cancel, and the focus goes back to the button', async () => {
  const { play, requests } = acting()
  const { page } = await open({ play, at: alpha })
  const button = page.getByRole('button', { name: 'Actions for data source db2' })
  for (const leave of ['Escape', 'Cancel']) {
    await chooseAction(page, { of: 'data source db2', action: /^Shun db2/ })
    if (leave === 'Escape') await page.keyboard.press('Escape')
    else await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => dialog(page).count()).toBe(0)
    expect(await button.evaluate((it) => it.ownerDocument.activeElement === it)).toBe(true)
  }
  expect(requests).toEqual([])
})

it('somebody who may read has no button but those that look, on every page', async () => {
  const { page } = await open({ play: withLevel('read'), at: alpha })
  await page.getByRole('table', { name: 'Hosts of alpha' }).waitFor()
  // Of what is below the end of the window, the browser has only the text as it is written.
  const looking = ['Skip to the content', 'Log out', 'Reload']
  const buttons = async (): Promise<readonly string[]> =>
    (await page.getByRole('button').allTextContents()).filter((text) => !looking.includes(text))
  expect(await buttons()).toEqual([])
  for (const title of ['Users', 'Certificates', 'Runs']) {
    await page.getByRole('navigation').getByRole('link', { name: title }).click()
    await page.getByRole('table').first().waitFor()
    expect(await buttons(), title).toEqual([])
  }
  await page.goto(`${page.url().replace(/#.*/, '')}#/cluster/alpha/host/db1`)
  await page.getByRole('table', { name: 'Components of db1' }).waitFor()
  expect(await buttons()).toEqual([])
})

it('somebody who may operate changes states and no users', async () => {
  const { page } = await open({ play: withLevel('operate'), at: alpha })
  await page.getByRole('button', { name: 'Actions for data source db2' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
  await page.getByRole('rowheader', { name: 'oncall' }).waitFor()
  expect(await page.getByRole('button', { name: /Add a user|Actions for/ }).count()).toBe(0)
})

it('a switch shows its plan before, its steps while it happens, and how long clients waited after', async () => {
  const { play, requests } = acting(({ route }) =>
    route === 'managerSwitch' ? { status: 202, payload: switchTask({ step: 'check' }) } : undefined,
  )
  const { page, standIn } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'service alpha', action: /^Switch the primary/ })
  await expect.poll(() => dialog(page).getByRole('status').innerText()).toMatch(/Primary: db1 → db2/)
  await dialog(page).getByLabel('New primary').selectOption('db3')
  await expect.poll(() => confirm(page, 'Switch the primary of alpha').isEnabled()).toBe(true)
  await confirm(page, 'Switch the primary of alpha').click()
  await page.getByRole('heading', { level: 1, name: 'Switch of alpha' }).waitFor()
  expect(requests).toEqual([
    expect.objectContaining({ route: 'managerSwitch', params: { service: 'alpha' }, query: { to: 'db3' } }),
  ])
  const now = page.getByRole('list', { name: 'Steps' }).locator('[aria-current=step]')
  for (const step of ['hold', 'drain', 'freeze', 'catch-up'] as const) {
    standIn.send({
      kind: 'service',
      time: atSecond(1),
      cluster: 'alpha',
      service: switchedService(switchTask({ step, startedAt: atSecond(0) })),
    })
    await expect.poll(() => now.innerText()).toContain(step)
  }
  const result = { oldPrimary: 'db1', newPrimary: 'db3', heldMilliseconds: 412, remarks: ['db2 was away'] }
  const task = switchTask({ state: 'complete', step: 'release', endedAt: atSecond(3), result })
  standIn.send({
    kind: 'service',
    time: atSecond(3),
    cluster: 'alpha',
    service: switchedService(task, 'db3'),
  })
  await page.getByText('412 ms').waitFor()
  await page.getByRole('status').filter({ hasText: 'db3 is the primary; it was db1.' }).waitFor()
  await page.getByText('db2 was away').waitFor()
  expect(await now.count()).toBe(0)
})

it('the dialog of a replica shows the plan that makes it the primary, and switches to it', async () => {
  const plans: ActionRequest[] = []
  const { play, requests } = acting((request) => {
    if (request.route === 'managerSwitch') return { status: 202, payload: switchTask({ step: 'check' }) }
    if (request.route !== 'managerSwitchPlan') return undefined
    plans.push(request)
    return { status: 200, payload: { service: 'alpha', from: 'db1', to: 'db3', loss: null, refusals: [] } }
  })
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'data source db3', action: /^Make db3 the primary/ })
  await expect.poll(() => dialog(page).getByRole('status').innerText()).toMatch(/Primary: db1 → db3/)
  expect(plans.map(({ query }) => query)).toEqual([{ to: 'db3' }])
  expect(await dialog(page).getByLabel('New primary').count()).toBe(0)
  await confirm(page, 'Make db3 the primary').click()
  await page.getByRole('heading', { level: 1, name: 'Switch of alpha' }).waitFor()
  expect(requests).toEqual([
    expect.objectContaining({ route: 'managerSwitch', params: { service: 'alpha' }, query: { to: 'db3' } }),
  ])
})

it('a replica whose replication stopped is offered its start, which its host does', async () => {
  const { play, requests } = acting()
  const { page, standIn } = await open({ play, at: alpha })
  const stopped = dataSource({ name: 'db3', state: 'FAILED', code: 'not-replicating' })
  await page.getByRole('button', { name: 'Actions for data source db3' }).waitFor()
  standIn.send({ kind: 'datasource', time: atSecond(1), cluster: 'alpha', datasource: stopped })
  await page.getByRole('link', { name: 'Explain not-replicating' }).waitFor()
  await chooseAction(page, { of: 'data source db3', action: /^Start the replication of db3/ })
  await confirm(page, 'Start the replication of db3').click()
  await dialog(page).getByText('done on 1 host').waitFor()
  expect(requests).toEqual([
    { cluster: 'alpha', host: 'db3', component: 'replicator', route: 'replicatorOnline', params: {} },
  ])
})

it('a switch that would be refused says why, and cannot be confirmed', async () => {
  const refusals = [{ datasource: 'db2', code: 'lag', reason: 'db2 is 40 s behind', fix: 'wait' }]
  const { play } = acting(({ route }) =>
    route === 'managerSwitchPlan'
      ? { status: 200, payload: { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals } }
      : undefined,
  )
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'service alpha', action: /^Switch the primary/ })
  await dialog(page).getByText('db2 is 40 s behind').waitFor()
  expect(await confirm(page, 'Switch the primary of alpha').isDisabled()).toBe(true)
})

it('a lost primary is replaced after its plan said what may be lost, and the name was typed', async () => {
  const loss = 'Lost: 2 transactions that db1 told and no survivor has (0-1-35).'
  const { play, requests } = acting(({ route }) => {
    if (route === 'managerFailover') return { status: 202, payload: switchTask({ step: 'check' }) }
    if (route !== 'managerFailoverPlan') return undefined
    return { status: 200, payload: { service: 'alpha', from: 'db1', to: 'db3', loss, refusals: [] } }
  })
  const { page, standIn } = await open({ play, at: alpha })
  const writer = { datasource: null, code: null, reason: 'db1 is FAILED', hold: false }
  await page.getByRole('button', { name: 'Actions for service alpha' }).waitFor()
  standIn.send({ kind: 'service', time: atSecond(1), cluster: 'alpha', service: service({ writer }) })
  await page.getByText('Writer none').waitFor()
  await chooseAction(page, { of: 'service alpha', action: /^Replace the lost primary/ })
  await dialog(page).getByText(loss).waitFor()
  const button = confirm(page, 'Replace the lost primary of alpha')
  expect(await button.isDisabled()).toBe(true)
  await dialog(page).getByLabel('Type alpha to confirm').fill('alpha')
  await button.click()
  await page.getByRole('heading', { level: 1, name: 'Switch of alpha' }).waitFor()
  expect(requests.at(-1)).toMatchObject({ route: 'managerFailover', params: { service: 'alpha' } })
})

it('an action that the server refuses with 403 says so', async () => {
  const { play } = acting(() => ({
    status: 403,
    code: 'access-denied',
    detail: 'This call needs the level operate.',
  }))
  const { page } = await open({ play, at: alpha })
  await chooseAction(page, { of: 'connector of db2', action: /on hold/ })
  await confirm(page, 'Put connector of db2 on hold').click()
  await dialog(page).getByText('This call needs the level operate.').waitFor()
})

it('from the login to the shun of a data source the keyboard is enough', async () => {
  const { play, requests } = acting()
  play.logOut()
  const { page } = await open({ play })
  /** Presses Tab until something has the focus. */
  const tabTo = async (role: 'link' | 'button' | 'textbox' | 'radio', name: RegExp): Promise<void> => {
    const wanted = await page.getByRole(role, { name }).first().elementHandle()
    for (let presses = 0; presses < 60; presses += 1) {
      if (await wanted?.evaluate((it) => it.ownerDocument?.activeElement === it)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach the ${role} ${name}`)
  }
  await tabTo('textbox', /^User/)
  await page.keyboard.type('grace')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Clusters' }).waitFor()
  await tabTo('link', /^alpha/)
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Hosts of alpha' }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('alpha')
  await tabTo('button', /^Actions for data source db2/)
  await page.keyboard.press('Enter')
  await dialog(page).waitFor()
  await tabTo('radio', /^Shun db2/)
  await page.keyboard.press('Space')
  await tabTo('textbox', /to confirm/)
  await page.keyboard.type('db2')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('done on 3 hosts').waitFor()
  expect(requests).toHaveLength(3)
  await page.keyboard.press('Enter')
  await expect.poll(() => dialog(page).count()).toBe(0)
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions for data source db2')
})

it('an open dialog keeps the focus within itself', async () => {
  const { page } = await open({ at: alpha })
  await chooseAction(page, { of: 'data source db2', action: /^Shun db2/ })
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab')
    const where =
      "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
    expect(await page.evaluate(where)).toBe(true)
  }
})

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { playOf } from '../dashboard/play.ts'
import { dashboardTests } from './support/dashboardTests.ts'

const open = dashboardTests()

/** A play before which nobody is logged in. */
function loggedOut(name = 'all') {
  const play = playOf(name)
  play.logOut()
  return play
}

async function logIn(page: Page, password = 'correct horse'): Promise<void> {
  await page.getByLabel('User').fill('grace')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

it('a login shows the clusters and who is logged in', async () => {
  const { page } = await open({ play: loggedOut() })
  expect(await page.getByRole('navigation').count()).toBe(0)
  await logIn(page)
  await heading(page, 'Clusters').waitFor()
  await page.getByText('grace (full)').waitFor()
  expect(await page.getByRole('link', { name: 'beta' }).count()).toBe(1)
})

it('a login with a wrong password says so, and waits for another one in an empty field', async () => {
  const { page } = await open({ play: loggedOut() })
  await logIn(page, 'wrong')
  await expect.poll(() => page.getByRole('alert').innerText()).toBe('The user or the password is wrong.')
  const password = page.getByLabel('Password')
  expect(await password.inputValue()).toBe('')
  expect(await page.evaluate('document.activeElement.name')).toBe('password')
  expect(await page.getByLabel('User').inputValue()).toBe('grace')
  await logIn(page)
  await heading(page, 'Clusters').waitFor()
})

it('a logout takes everything from the page, also for the way back', async () => {
  const { page } = await open({ at: '#/cluster/beta' })
  await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await heading(page, 'Log in').waitFor()
  expect(await page.locator('body').innerText()).not.toMatch(/db3|10\.0\.0\./)
  await page.reload()
  await heading(page, 'Log in').waitFor()
})

it.each(['by an event of the stream', 'with the stream'])(
  'a session that ends %s asks for a login and goes on where it was',
  async (how) => {
    const play = playOf('all')
    const { page, standIn } = await open({ play, at: '#/cluster/beta' })
    await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
    play.logOut()
    if (how === 'with the stream') standIn.cut()
    else standIn.send({ kind: 'session', time: new Date().toISOString() })
    await heading(page, 'Log in').waitFor()
    await page.getByText('Your session has ended').waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/db3|10\.0\.0\./)
    await logIn(page)
    await heading(page, 'beta').waitFor()
    await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
  },
)

it('an answer that the session has ended asks for a login', async () => {
  const play = playOf('all')
  const { page } = await open({ play, at: '#/cluster/beta' })
  await page.getByRole('table', { name: 'Hosts of beta' }).waitFor()
  play.logOut()
  await page.getByRole('link', { name: 'Users' }).click()
  await heading(page, 'Log in').waitFor()
})

it('the password goes into the body of one request alone', async () => {
  const { page, url } = await open({ play: loggedOut() })
  const sent: { url: string; body: string | null; headers: string }[] = []
  page.on('request', (request) => {
    sent.push({ url: request.url(), body: request.postData(), headers: JSON.stringify(request.headers()) })
  })
  await logIn(page, 'correct horse battery')
  await heading(page, 'Clusters').waitFor()
  await page.getByRole('link', { name: 'beta' }).click()
  await heading(page, 'beta').waitFor()
  const withPassword = sent.filter((request) => JSON.stringify(request).includes('horse'))
  expect(withPassword).toEqual([expect.objectContaining({ url: `${url}login` })])
  expect(JSON.parse(withPassword[0]?.body ?? '')).toEqual({
    user: 'grace',
    password: 'correct horse battery',
  })
  expect(await page.content()).not.toContain('horse')
})

const token = `${'A'.repeat(21) + 'b_-9'.repeat(5)}zz`

it('the token of the address is sent once, and stays nowhere', async () => {
  const sent: string[] = []
  const { page, url } = await open({ play: loggedOut(), at: '#/' })
  page.on('request', (request) => {
    if (JSON.stringify([request.url(), request.headers(), request.postData()]).includes(token)) {
      sent.push(`${request.method()} ${request.url()} ${request.postData()}`)
    }
  })
  await page.goto('about:blank')
  await page.goto(`${url}#${token}`)
  await heading(page, 'Log in').waitFor()
  expect(sent).toEqual([`POST ${url}token ${JSON.stringify({ token })}`])
  expect(page.url()).toBe(url)
  await logIn(page)
  await heading(page, 'Clusters').waitFor()
  await page.getByRole('link', { name: 'beta' }).click()
  await heading(page, 'beta').waitFor()
  // Everything that a browser keeps for a page, and every address that it could go back to.
  const kept = await page.evaluate(`(async () => JSON.stringify({
    local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie, state: history.state,
    name: window.name, caches: await caches.keys(),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }))()`)
  expect(JSON.parse(String(kept))).toEqual({
    local: {},
    session: {},
    cookie: '',
    state: null,
    name: '',
    caches: [],
    databases: [],
    workers: 0,
  })
  const devtools = await page.context().newCDPSession(page)
  const { entries } = await devtools.send('Page.getNavigationHistory')
  expect(entries.length).toBeGreaterThan(1)
  expect(entries.filter((entry) => entry.url.includes(token))).toEqual([])
})

it('a browser without the token is told where to find the address', async () => {
  const play = {
    ...playOf('all'),
    session: () => ({ state: 'token', server: 'muster', pages: [], clusters: [] }) as const,
  }
  const { page } = await open({ play })
  await heading(page, 'Open the address again').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
})

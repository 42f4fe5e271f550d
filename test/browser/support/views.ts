import type { Page } from 'playwright-core'
import type { Play } from '../../dashboard/standIn.ts'
import { chooseAction } from './actions.ts'
import { switching } from './switching.ts'

/** A page of the dashboard, or a state of one, as it is looked at. */
export type View = {
  readonly name: string
  readonly play: string | Play
  readonly at: string
  /** Text of its heading. */
  readonly heading: string
  /** Too long for axe-core, which takes a minute for it, and for a picture of all. */
  readonly isLong?: true
  /** Leads there from the page at `at`. */
  readonly reach?: (page: Page) => Promise<void>
}

const beta = '#/cluster/beta'

/** Every page, and states that change what a page looks like. */
export const views: readonly View[] = [
  {
    name: 'log-in',
    play: 'all',
    at: '',
    heading: 'Log in',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Password').waitFor()
    },
  },
  { name: 'clusters', play: 'all', at: '#/', heading: 'Clusters' },
  { name: 'cluster', play: 'all', at: beta, heading: 'beta' },
  { name: 'cluster-well', play: 'all', at: '#/cluster/alpha', heading: 'alpha' },
  { name: 'cluster-large', play: 'large', at: '#/cluster/large', heading: 'large', isLong: true },
  { name: 'cluster-hostile', play: 'hostile', at: '#/', heading: 'Clusters' },
  { name: 'host', play: 'all', at: `${beta}/host/db3`, heading: 'db3' },
  { name: 'users', play: 'all', at: `${beta}/users`, heading: 'Users' },
  { name: 'certificates', play: 'all', at: `${beta}/certificates`, heading: 'Certificates' },
  { name: 'runs', play: 'all', at: `${beta}/runs`, heading: 'Runs' },
  { name: 'switch', play: switching(), at: '#/cluster/alpha/switch/alpha', heading: 'Switch of alpha' },
  {
    name: 'shun',
    play: 'all',
    at: '#/cluster/alpha',
    heading: 'alpha',
    reach: (page) => chooseAction(page, { of: 'data source db2', action: /^Shun db2/ }),
  },
  {
    name: 'switch-plan',
    play: 'all',
    at: '#/cluster/alpha',
    heading: 'alpha',
    reach: async (page) => {
      await chooseAction(page, { of: 'service alpha', action: /^Switch the primary/ })
      await page.getByText('Nothing speaks against it now').waitFor()
    },
  },
  {
    name: 'explain',
    play: 'all',
    at: '#/explain/writable-replica',
    heading: 'A replica that can be written',
  },
]

/** Leads to a view from the page at its address; resolves once its heading is there. */
export async function reachView(page: Page, { heading, reach }: View): Promise<void> {
  await reach?.(page)
  await page.getByText('Loading').waitFor({ state: 'detached' })
  // A dialog hides what is behind it from roles.
  await page.locator('h1', { hasText: heading }).waitFor()
}

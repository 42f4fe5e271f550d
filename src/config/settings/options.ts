import { components } from '../../contracts/component.ts'
import { accessOptions } from './accessOptions.ts'
import { apiOptions, clusterPortOption, dashboardOption } from './apiOptions.ts'
import { certificateOptions } from './certificateOptions.ts'
import { connectorOptions } from './connectorOptions.ts'
import { databaseAuthorityOption, databaseOptions, monitorOptions, switchOptions } from './databaseOptions.ts'
import { installationOptions, limitOptions } from './installationOptions.ts'
import type { Setting } from './setting.ts'
import { userOptions } from './userOptions.ts'

/** Every option of `defaults` and `options` (options.md, "The options"). */
export const options = {
  api: apiOptions,
  clusterPort: clusterPortOption,
  dashboard: dashboardOption,
  ...userOptions,
  ...certificateOptions,
  ...accessOptions,
  ...installationOptions,
  limits: limitOptions,
  database: databaseOptions,
  databaseAuthority: databaseAuthorityOption,
  monitor: monitorOptions,
  switching: switchOptions,
  proxy: connectorOptions,
} as const

/** Options by group of the reference page. */
export const optionGroups: readonly {
  readonly title: string
  readonly settings: readonly Setting<unknown>[]
}[] = [
  {
    title: 'APIs',
    settings: [
      ...components.flatMap((component) => Object.values(apiOptions[component])),
      clusterPortOption,
      dashboardOption,
    ],
  },
  { title: 'Users', settings: Object.values(userOptions) },
  { title: 'Certificates', settings: Object.values(certificateOptions) },
  { title: 'Access', settings: Object.values(accessOptions) },
  { title: 'Installation', settings: Object.values({ ...installationOptions, ...limitOptions }) },
  {
    title: 'Database',
    settings: [databaseOptions, { databaseAuthorityOption }, monitorOptions, switchOptions].flatMap(
      (it): Setting<unknown>[] => Object.values(it),
    ),
  },
  { title: 'Connector', settings: Object.values(connectorOptions) },
]

/** Options in the order of the reference page. */
export const allOptions: readonly Setting<unknown>[] = optionGroups.flatMap(({ settings }) => settings)

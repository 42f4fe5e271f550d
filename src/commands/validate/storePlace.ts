import type { StoreProblem } from '../../certificates/storeProblem.ts'
import type { Given } from '../../config/settings/setting.ts'
import type { Place } from '../../diagnostics/diagnose.ts'
import type { StoreKind, StoreUse } from './storeUse.ts'

/** The value that has to be changed, and the store that it is about, where that is named at another place. */
export function storePlace(
  problem: StoreProblem,
  given: {
    readonly keystore: StoreUse | undefined
    readonly truststore: StoreUse | undefined
    readonly alias: Given | undefined
  },
): Place | undefined {
  const { keystore, truststore, alias } = given
  const kind: StoreKind = problem.code.startsWith('truststore-') ? 'truststore' : 'keystore'
  const store = kind === 'keystore' ? keystore : truststore
  if (store === undefined) return undefined
  const beside = (at: Given, other: Given, what: StoreKind): Place => ({
    span: at.span,
    related: [{ message: `The ${what} is named here.`, span: other.span }],
  })
  switch (problem.code) {
    case 'keystore-wrong-password':
    case 'truststore-wrong-password':
      return beside(store.password?.given ?? store.path, store.path, kind)
    case 'keystore-alias-absent':
      return alias === undefined ? { span: store.path.span } : beside(alias, store.path, kind)
    case 'truststore-does-not-trust':
      return beside(store.path, keystore?.path ?? store.path, 'keystore')
    default:
      return { span: store.path.span }
  }
}

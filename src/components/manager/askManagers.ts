import type { HoldPayload, ReleasePayload } from '../../contracts/managerPayloads.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { Secret } from '../../secrets/secret.ts'

type Answer = { readonly name: string; readonly problem?: string }

export type OtherManagers = {
  readonly unreachable: readonly string[]
  hold(
    order: HoldPayload & { readonly service: string },
    authorization: Secret | undefined,
  ): Promise<readonly Answer[]>
  release(
    order: ReleasePayload & { readonly service: string },
    authorization: Secret | undefined,
  ): Promise<readonly Answer[]>
  routings(): Promise<readonly (Answer & { readonly routing?: Routing })[]>
}

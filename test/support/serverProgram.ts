import { fileURLToPath } from 'node:url'

/** `muster-api` as the build makes it and hosts get it. */
export const serverProgram = fileURLToPath(new URL('../../dist/muster-api.cjs', import.meta.url))

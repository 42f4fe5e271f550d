import { sharedNode } from './pinnedNode.ts'
import { labHere } from './requirements.ts'

/** Fetches the Node.js of the hosts once before the tests: files that begin at the same time would each fetch it. */
export async function setup(): Promise<void> {
  if (!labHere.missing) await sharedNode()
}

import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal, as sha256sum prints it on a host. */
export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

import { randomBytes } from 'node:crypto'
import { Secret } from '../secrets/secret.ts'

/** Creates a password of 192 random bits: 32 characters that need no quoting anywhere (A–Z a–z 0–9 - _). */
export const generatePassword = (random: (size: number) => Buffer = randomBytes): Secret =>
  new Secret(random(24).toString('base64url'))

import { existsSync, readFileSync } from 'node:fs'
import { formatUserFile, parseUserFile, putUser, type UserRecord } from '../../src/accounts/userFile.ts'
import { changeUserFile } from '../../src/accounts/userFileIo.ts'

// A thousand writes of a user file, each of which puts one of ten users: what the file holds tells how many of them
// it has seen. As a program it goes on with them, until there are as many as told, and says the number of each.

const users = 10

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** What the write of this number, from 1 on, puts: its number is the salt. */
function recordOf(write: number): UserRecord {
  const salt = Buffer.alloc(16)
  salt.writeUInt32BE(write)
  const hash = `$scrypt$ln=15,r=8,p=3$${unpadded(salt)}$${unpadded(Buffer.alloc(32, 7))}`
  return { user: `user${write % users}`, access: 'full', hash }
}

const writeOf = ({ hash }: UserRecord): number =>
  Buffer.from(hash.split('$')[3] ?? '', 'base64').readUInt32BE()

/** The text of the file after this many writes. */
function textAfter(writes: number): string {
  const first = Array.from({ length: Math.min(writes, users) }, (_, index) => index + 1)
  const latest = (write: number): number => write + users * Math.floor((writes - write) / users)
  return formatUserFile({ version: 1, users: first.map((write) => recordOf(latest(write))) })
}

/** How many writes a text of the file has seen, in their order and none left out. Throws for any other text. */
export function writesIn(text: string): number {
  const writes = Math.max(...parseUserFile(text).users.map(writeOf))
  if (text !== textAfter(writes)) throw new Error(`this is not what ${writes} writes make: ${text}`)
  return writes
}

const [, program, path, wanted] = process.argv
if (program?.endsWith('writeUsers.mjs') && path !== undefined) {
  let write = existsSync(path) ? writesIn(readFileSync(path, 'utf8')) : 0
  while (write < Number(wanted)) {
    write += 1
    const record = recordOf(write)
    await changeUserFile(path, (file) => putUser(file, record))
    process.stdout.write(`${write}\n`)
  }
}

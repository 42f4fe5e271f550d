import { readText } from '../../api/files.ts'
import { StartError } from '../../api/startError.ts'
import { Secret } from '../../secrets/secret.ts'

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser quotes what it could not read.
    throw new StartError(`the secrets ${file} are not JSON; install again to write them anew`)
  }
}

/**
 * The password that the secrets file holds for an option, such as `replication-password`. Throws a `StartError`
 * that never quotes the file.
 */
export function readPassword(options: { readonly file: string; readonly option: string }): Secret {
  const { file, option } = options
  const content = parse(readText(file, 'the secrets'), file)
  if (typeof content === 'object' && content !== null && Object.hasOwn(content, option)) {
    const password: unknown = Reflect.get(content, option)
    if (typeof password === 'string') return new Secret(password)
  }
  throw new StartError(`the secrets ${file} hold no ${option}; set it and install again`)
}

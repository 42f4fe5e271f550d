import { parseJson } from '../base/json.ts'
import { ClientError } from './clientError.ts'

/**
 * The body of an answer: parsed where its content type is JSON, else the text. Throws a `ClientError`
 * `bad-answer` for JSON that is none, or that `parseJson` does not read; the text itself is not quoted.
 */
export function parseBody(answer: {
  readonly place: string
  readonly contentType: string | undefined
  readonly text: string
}): unknown {
  const mediaType = answer.contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const isJson = mediaType === 'application/json' || mediaType.endsWith('+json')
  if (!isJson || answer.text === '') return answer.text
  const value = parseJson(answer.text)
  if (value !== undefined) return value
  throw new ClientError({
    code: 'bad-answer',
    message: `${answer.place} answered with ${mediaType} that is not valid JSON, or too large.`,
    fix: 'Something else than the API listens there, or something between changes its answers.',
  })
}

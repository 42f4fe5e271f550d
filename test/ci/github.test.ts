import { afterAll, beforeAll, expect, it } from 'vitest'
import { badFile, createRepository, goodFile, type Repository, readmeBlock } from './support/repository.ts'
import { workflowParser } from './support/tools.ts'

const name = '.github/workflows/validate.yml'
const workflow = readmeBlock(name)

let repository: Repository
beforeAll(async () => {
  repository = await createRepository()
})
afterAll(() => repository.remove())

type Step = { readonly run?: { readonly toString: () => string } }
type Parsed = {
  readonly context: { readonly errors: { getErrors: () => readonly { readonly message: string }[] } }
  readonly value?: unknown
}
type Parser = {
  readonly parseWorkflow: (file: { name: string; content: string }, trace: unknown) => Parsed
  readonly convertWorkflowTemplate: (
    context: unknown,
    value: unknown,
  ) => Promise<{ readonly jobs: readonly { readonly steps: readonly Step[] }[] }>
  readonly NoOperationTraceWriter: new () => unknown
}

/** The scripts that GitHub would run, as its own parser reads the workflow. */
async function scripts(): Promise<readonly string[]> {
  const parser: Parser = await import(workflowParser)
  const parsed = parser.parseWorkflow({ name, content: workflow }, new parser.NoOperationTraceWriter())
  expect(parsed.context.errors.getErrors().map(({ message }) => message)).toEqual([])
  const { jobs } = await parser.convertWorkflowTemplate(parsed.context, parsed.value)
  return jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [String(run)])))
}

it('is a workflow of one step beside the checkout, which passes a good file', async () => {
  const [script = '', ...more] = await scripts()
  expect(more).toEqual([])
  repository.write('muster.yaml', goodFile)
  // The shell of a runner: `run` is executed by bash -e {0}.
  const { code, output } = await repository.run('bash', ['-e', '-c', script])
  // Without the variable of its password the file is good as far as can be told, which is a notice.
  expect(output).not.toMatch(/^::(error|warning)/m)
  expect(code, output).toBe(0)
})

it('fails on a bad file, with an annotation at its line', async () => {
  const [script = ''] = await scripts()
  repository.write('muster.yaml', badFile)
  const { code, output } = await repository.run('bash', ['-e', '-c', script])
  expect(code, output).toBe(1)
  expect(output).toMatch(/^::error file=muster\.yaml,line=\d+,.*title=unknown-option::.*$/m)
})

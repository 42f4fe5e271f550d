import { afterAll, beforeAll, expect, it } from 'vitest'
import { githubPipeline, githubWorkflow } from './support/pipelines.ts'
import { badFile, createRepository, goodFile, type Ran, type Repository } from './support/repository.ts'

let repository: Repository
beforeAll(async () => {
  repository = await createRepository()
})
afterAll(() => repository.remove())

/** Runs the steps as a runner does, each by bash -e, until one fails. */
async function job(sha256 = repository.release.sha256): Promise<Ran> {
  const { env, scripts } = await githubPipeline({ ...repository.release, sha256 })
  let ran: Ran = { code: 0, output: '' }
  for (const script of scripts) {
    ran = await repository.run('bash', ['-e', '-c', script], env)
    if (ran.code !== 0) return ran
  }
  return ran
}

it('the workflow has a token that may only read, no secret, and actions pinned by their commits', async () => {
  const workflow = await githubWorkflow(repository.release)
  expect(workflow.on).toEqual(['push', 'pull_request'])
  expect(workflow.permissions).toEqual({ contents: 'read' })
  expect(JSON.stringify(workflow)).not.toMatch(/secrets\.|\$\{\{|pull_request_target|npx|npm /)
  const actions = workflow.jobs.muster.steps.filter(({ uses }) => uses !== undefined)
  expect(actions).toEqual([
    {
      uses: expect.stringMatching(/^actions\/checkout@[\da-f]{40}$/),
      with: { 'persist-credentials': false },
    },
  ])
})

it('the workflow passes a good file', async () => {
  repository.write('muster.yaml', goodFile)
  const { code, output } = await job()
  // Without the variable of its password the file is good as far as can be told, which is a notice.
  expect(output).not.toMatch(/^::(error|warning)/m)
  expect(code, output).toBe(0)
})

it('the workflow fails on a bad file, with an annotation at its line', async () => {
  repository.write('muster.yaml', badFile)
  const { code, output } = await job()
  expect(code, output).toBe(1)
  expect(output).toMatch(/^::error file=muster\.yaml,line=\d+,.*title=unknown-option::.*$/m)
})

it('the workflow unpacks no release that has another digest', async () => {
  const { code, output } = await job('ab'.repeat(32))
  expect(code).toBe(1)
  expect(output).toMatch(/muster\.tgz: FAILED/)
})

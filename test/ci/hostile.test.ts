import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HostilePullRequest, layTraps, precious } from './support/hostilePullRequest.ts'
import { githubPipeline, gitlabPipeline } from './support/pipelines.ts'
import { recipe } from './support/recipe.ts'
import { createRepository, type Repository } from './support/repository.ts'

let repository: Repository
let pullRequest: HostilePullRequest
beforeAll(async () => {
  repository = await createRepository()
  pullRequest = layTraps(repository.folder)
})
afterAll(() => repository.remove())
beforeEach(() => pullRequest.clear())

describe('a hostile pull request', () => {
  it('would run its own programs where npx runs in the checkout, and where git is asked without care', async () => {
    await repository.run('npx', ['--yes', '--package', 'muster-cluster', 'muster', 'validate', 'muster.yaml'])
    expect(pullRequest.sprung()).toEqual(
      expect.arrayContaining(['script-shell', 'preload.cjs', 'node_modules/.bin/muster']),
    )
    pullRequest.clear()
    await repository.run('git', ['ls-files', '--error-unmatch', '--', 'muster.yaml'])
    expect(pullRequest.sprung()).toContain('.git/program')
  })

  it.each([
    ['GitHub', githubPipeline, 'title=plaintext-secret-tracked'],
    ['GitLab', gitlabPipeline, 'plaintext-secret-tracked'],
  ])('runs nothing in the recipe for %s, which judges its file', async (service, pipeline, finding) => {
    const { scripts, env } = await pipeline(repository.release)
    let shown = ''
    let last: number | null = 0
    // Even the step before the checkout finds it there, as on a runner that uses a folder again.
    for (const script of scripts) {
      const { code, output } = await repository.run('bash', ['-e', '-o', 'pipefail', '-c', script], env)
      shown += output
      last = code
    }
    const report = `${repository.folder}/muster.xml`
    shown += service === 'GitLab' ? readFileSync(report, 'utf8') : ''
    expect(pullRequest.sprung()).toEqual([])
    expect(shown).toContain(finding)
    expect(last).toBe(1)
    expect(shown).not.toContain(precious)
    expect(readFileSync(pullRequest.outside, 'utf8')).toContain(precious)
  })

  it('runs nothing in the hook for pre-commit beside what the operator has on the PATH', async () => {
    const entry = /^ +entry: (muster .+)$/m.exec(recipe('.pre-commit-config.yaml'))?.[1] ?? 'false'
    const { output } = await repository.run('bash', ['-e', '-c', entry])
    expect(pullRequest.sprung()).toEqual([])
    expect(output).toContain('plaintext-secret-tracked')
  })
})

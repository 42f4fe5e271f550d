import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { onceListening } from './support/onceListening.ts'
import { githubDeployWorkflow, gitlabDeployPipeline } from './support/pipelines.ts'
import { recipeFor } from './support/recipe.ts'
import { createRepository, type Ran, type Repository } from './support/repository.ts'
import { toolsFolder } from './support/tools.ts'

const password = 'x8Jw-Rt2q_Lm0'

let repository: Repository
/** Notes that GitLab got. */
const notes: { readonly path: string; readonly token: unknown; readonly body: string }[] = []
const gitlab = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    notes.push({ path: request.url ?? '', token: request.headers['private-token'], body })
    response.end('{}')
  })
})
let api = ''
const home = (name: string): string => join(repository.folder, '..', name)

/** An installation on this machine, without SSH and root. */
async function describeCluster(level: string): Promise<void> {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const text = readFileSync('examples/quickstart.yaml', 'utf8').replace(
    /^defaults:$/m,
    `defaults:
  rest-api-admin-pass: !env ADMIN_PASS
  log-level: ${level}
  manager-rest-api-port: ${ports[0]}
  replicator-rest-api-port: ${ports[1]}
  connector-rest-api-port: ${ports[2]}`,
  )
  repository.write('muster.yaml', text)
}

beforeAll(async () => {
  repository = await createRepository()
  api = `http://127.0.0.1:${await onceListening(gitlab)}/api/v4`
  // GitHub's own program keeps what it was given.
  writeFileSync(
    home('installed/bin/gh'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${home('gh.argv')}\nfor last; do :; done\ncp "$last" ${home('gh.body')}\n`,
  )
  chmodSync(home('installed/bin/gh'), 0o755)
})
afterAll(async () => {
  for (const name of ['github', 'gitlab']) {
    const file = join(home(name), 'muster.yaml')
    if (existsSync(file)) await repository.run('muster', ['uninstall', '--yes', '--purge', file])
  }
  await new Promise((resolve) => gitlab.close(resolve))
  repository.remove()
})

/** Runs the steps of a job as a runner does, each by bash -e, until one fails. */
async function githubJob(name: 'plan' | 'apply'): Promise<Ran> {
  const { env, jobs } = await githubDeployWorkflow(repository.release)
  let shown = ''
  for (const step of jobs[name].steps) {
    if (step.run === undefined) continue
    const { code, output } = await repository.run('bash', ['-e', '-c', step.run], {
      ...env,
      MUSTER_HOME: home('github'),
      ADMIN_PASS: password,
      GITHUB_REPOSITORY: 'dba/clusters',
      ...(step.env && { GH_TOKEN: 'a-token', NUMBER: '17' }),
    })
    shown += output
    if (code !== 0) return { code, output: shown }
  }
  return { code: 0, output: shown }
}

function gitlabJob(name: 'plan' | 'apply'): Promise<Ran> {
  const { env, scripts } = gitlabDeployPipeline(repository.release)[name]
  return repository.run('bash', ['-e', '-o', 'pipefail', '-c', scripts.join('\n')], {
    ...env,
    MUSTER_HOME: home('gitlab'),
    ADMIN_PASS: password,
    CI_API_V4_URL: api,
    CI_PROJECT_ID: '42',
    CI_MERGE_REQUEST_IID: '17',
    NOTE_HEADER: home('note-header'),
  })
}

describe('the recipe that plans on a pull request and applies on merge', () => {
  it('gives each job of GitHub the rights it needs, and runs none for a fork', async () => {
    const workflow = await githubDeployWorkflow(repository.release)
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(workflow.jobs.plan.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' })
    expect(workflow.jobs.apply.permissions).toBeUndefined()
    expect(workflow.jobs.plan.if).toContain('head.repo.full_name == github.repository')
    expect(workflow.jobs.plan.environment).toBe('plan')
    expect(JSON.stringify(workflow.on)).not.toContain('pull_request_target')
    // An expression in a script would put text of others into it.
    for (const { run = '' } of [...workflow.jobs.plan.steps, ...workflow.jobs.apply.steps]) {
      expect(run).not.toContain('${{')
    }
  })

  it('comments the plan on GitHub, applies it, and then has nothing to do', async () => {
    mkdirSync(home('github'))
    await describeCluster('info')
    const planned = await githubJob('plan')
    expect(planned.code, planned.output).toBe(0)
    expect(readFileSync(home('gh.argv'), 'utf8').split('\n').slice(0, 7)).toEqual([
      ...['pr', 'comment', '17', '--repo', 'dba/clusters', '--edit-last', '--create-if-none'],
    ])
    const body = readFileSync(home('gh.body'), 'utf8')
    expect(body).toMatch(/^\*\*Plan: \d+ to add, \d+ to change, 0 to remove on 1 host\*\* in `quickstart`\n/)
    expect(body + planned.output).not.toContain(password)
    const applied = await githubJob('apply')
    expect(applied.code, applied.output).toBe(0)
    const again = await githubJob('plan')
    expect(again.code, again.output).toBe(0)
    expect(readFileSync(home('gh.body'), 'utf8')).toMatch(
      /^\*\*Plan for `quickstart`: nothing to do on 1 host\*\*/,
    )
    await describeCluster('debug')
    await githubJob('plan')
    expect(readFileSync(home('gh.body'), 'utf8')).toContain('log-level: info → debug')
  })

  it('comments the plan on GitLab with a token that is in no argument, and applies it', async () => {
    mkdirSync(home('gitlab'))
    writeFileSync(home('note-header'), 'PRIVATE-TOKEN: glpat-1234\n')
    await describeCluster('info')
    const planned = await gitlabJob('plan')
    expect(planned.code, planned.output).toBe(0)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({
      path: '/api/v4/projects/42/merge_requests/17/notes',
      token: 'glpat-1234',
    })
    expect(new URLSearchParams(notes[0]?.body).get('body')).toMatch(/^\*\*Plan: \d+ to add/)
    const applied = await gitlabJob('apply')
    expect(applied.code, applied.output).toBe(0)
  })

  it('is a pipeline that a runner of GitLab takes, with a manual job for merge requests only', async () => {
    repository.write(
      '.gitlab-ci.yml',
      recipeFor('.gitlab-ci.yml, which plans and applies', repository.release),
    )
    const jobsOf = async (variables: Readonly<Record<string, string>>): Promise<string> => {
      const given = Object.entries({ CI_PROJECT_ID: '42', ...variables }).flatMap(([name, value]) => [
        '--variable',
        `${name}=${value}`,
      ])
      const runner = join(toolsFolder, 'node_modules/.bin/gitlab-ci-local')
      const { code, output } = await repository.run(runner, ['--list-csv', ...given])
      expect(code, output).toBe(0)
      return output.slice(output.indexOf('name;'))
    }
    const merge = { CI_PIPELINE_SOURCE: 'merge_request_event' }
    expect(await jobsOf({ ...merge, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42' })).toMatch(
      /^name;.*\nplan;[^\n]*;manual;[^\n]*\n$/,
    )
    expect(await jobsOf({ ...merge, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '43' })).toMatch(/^name;[^\n]*\n$/)
    const pushed = await jobsOf({
      CI_PIPELINE_SOURCE: 'push',
      CI_COMMIT_BRANCH: 'main',
      CI_DEFAULT_BRANCH: 'main',
    })
    expect(pushed).toMatch(/^name;[^\n]*\napply;[^\n]*\n$/)
  })
})

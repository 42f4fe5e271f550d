import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recipeFor } from './support/recipe.ts'
import { badFile, createRepository, goodFile, type Repository } from './support/repository.ts'
import { toolsFolder } from './support/tools.ts'

const runner = join(toolsFolder, 'node_modules/.bin/gitlab-ci-local')

let repository: Repository
beforeAll(async () => {
  repository = await createRepository()
  repository.write('.gitlab-ci.yml', recipeFor('.gitlab-ci.yml', repository.release))
})
afterAll(() => repository.remove())

/** Runs the pipeline on this machine instead of in its image. */
const pipeline = () => repository.run(runner, ['--force-shell-executor', '--shell-isolation=false'])

it('passes a good file and leaves a report', async () => {
  repository.write('muster.yaml', goodFile)
  const { code, output } = await pipeline()
  expect(code, output).toBe(0)
  expect(readFileSync(join(repository.folder, 'muster.xml'), 'utf8')).toContain('<testsuites')
})

it('fails on a bad file, and its report tells the line', async () => {
  repository.write('muster.yaml', badFile)
  const { code, output } = await pipeline()
  expect(code, output).toBe(1)
  const report = readFileSync(join(repository.folder, 'muster.xml'), 'utf8')
  expect(report).toContain('unknown-option')
  expect(report).toContain('muster.yaml:')
})

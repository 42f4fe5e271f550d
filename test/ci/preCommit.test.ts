import { afterAll, beforeAll, expect, it } from 'vitest'
import { recipe } from './support/recipe.ts'
import { badFile, createRepository, goodFile, type Repository } from './support/repository.ts'

let repository: Repository
beforeAll(async () => {
  repository = await createRepository()
  repository.write('.pre-commit-config.yaml', recipe('.pre-commit-config.yaml'))
  expect(await repository.run('pre-commit', ['install'])).toMatchObject({ code: 0 })
})
afterAll(() => repository.remove())

const commit = (message: string) => repository.run('git', ['commit', '--message', message])

it('lets a good file be committed', async () => {
  repository.write('muster.yaml', goodFile)
  const { code, output } = await commit('Add the cluster')
  expect(code, output).toBe(0)
  expect(output).toMatch(/muster validate.*Passed/)
})

it('refuses the commit of a bad file, with the finding', async () => {
  repository.write('muster.yaml', badFile)
  const { code, output } = await commit('Break the cluster')
  expect(code, output).toBe(1)
  expect(output).toContain('Did you mean manager-rest-api-address?')
  expect((await repository.run('git', ['log', '--oneline'])).output.trim().split('\n')).toHaveLength(1)
})

it('is not run for a commit that leaves the file alone', async () => {
  await repository.run('git', ['checkout', '--quiet', 'HEAD', '--', 'muster.yaml'])
  repository.write('notes.txt', 'nothing\n')
  const { code, output } = await commit('Add notes')
  expect(code, output).toBe(0)
  expect(output).toMatch(/muster validate.*Skipped/)
})

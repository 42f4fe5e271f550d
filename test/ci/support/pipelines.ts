import { expect } from 'vitest'
import { parse } from 'yaml'
import { recipeFor } from './recipe.ts'
import type { Release } from './release.ts'
import { workflowParser } from './tools.ts'

/** What a CI service runs of a recipe: scripts of bash with `-e`, in the checkout, with these variables. */
export type Pipeline = {
  readonly scripts: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

type Step = { readonly run?: string; readonly uses?: string; readonly with?: unknown }

type Workflow = {
  readonly on: unknown
  readonly permissions: unknown
  readonly env: Readonly<Record<string, string>>
  readonly jobs: { readonly muster: { readonly steps: readonly Step[] } }
}

type Parser = {
  readonly parseWorkflow: (
    file: { readonly name: string; readonly content: string },
    trace: unknown,
  ) => {
    readonly context: {
      readonly errors: { readonly getErrors: () => readonly { readonly message: string }[] }
    }
  }
  readonly NoOperationTraceWriter: new () => unknown
}

/** The workflow of the guide, which GitHub's own parser takes. */
export async function githubWorkflow(release: Pick<Release, 'url' | 'sha256'>): Promise<Workflow> {
  const name = '.github/workflows/validate.yml'
  const content = recipeFor(name, release)
  const parser: Parser = await import(workflowParser)
  const { context } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([])
  return parse(content)
}

export async function githubPipeline(release: Release): Promise<Pipeline> {
  const { env, jobs } = await githubWorkflow(release)
  return { env, scripts: jobs.muster.steps.flatMap(({ run }) => (run === undefined ? [] : [run])) }
}

/** The pipeline of the guide; GitLab runs the lines of `script` in one shell. */
export async function gitlabPipeline(release: Release): Promise<Pipeline> {
  const { muster } = parse(recipeFor('.gitlab-ci.yml', release))
  return { env: muster.variables, scripts: [muster.script.join('\n')] }
}

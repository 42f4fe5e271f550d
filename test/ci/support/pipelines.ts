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

type Step = {
  readonly run?: string
  readonly uses?: string
  readonly with?: unknown
  readonly env?: Readonly<Record<string, string>>
}

type Job = {
  readonly steps: readonly Step[]
  readonly if?: string
  readonly environment?: string
  readonly permissions?: unknown
}

type Workflow<Jobs extends string> = {
  readonly on: unknown
  readonly permissions: unknown
  readonly env: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<Jobs, Job>>
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

/** A workflow of the guide, which GitHub's own parser takes. */
async function workflow<Jobs extends string>(
  name: string,
  release: Pick<Release, 'url' | 'sha256'>,
): Promise<Workflow<Jobs>> {
  const content = recipeFor(name, release)
  const parser: Parser = await import(workflowParser)
  const { context } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([])
  return parse(content)
}

export const githubWorkflow = (release: Pick<Release, 'url' | 'sha256'>): Promise<Workflow<'muster'>> =>
  workflow('.github/workflows/validate.yml', release)

/** The workflow that plans on a pull request and applies on merge. */
export const githubDeployWorkflow = (
  release: Pick<Release, 'url' | 'sha256'>,
): Promise<Workflow<'plan' | 'apply'>> => workflow('.github/workflows/deploy.yml', release)

/** The same for GitLab: the jobs `plan` and `apply`, each with the lines of `.muster`. */
export function gitlabDeployPipeline(release: Release): Readonly<Record<'plan' | 'apply', Pipeline>> {
  const {
    '.muster': shared,
    plan,
    apply,
  } = parse(recipeFor('.gitlab-ci.yml, which plans and applies', release))
  const job = ({ script }: { readonly script: readonly string[] }): Pipeline => ({
    env: shared.variables,
    scripts: [[...shared.before_script, ...script].join('\n')],
  })
  return { plan: job(plan), apply: job(apply) }
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

import { ProblemError } from '../api/problemError.ts'
import * as rules from '../contracts/editMap.ts'

export type EditedMap = rules.EditedMap

/** Turns the refusals of an edit into problems. */
const withProblems =
  <Input extends readonly unknown[]>(edit: (...input: Input) => EditedMap) =>
  (...input: Input): EditedMap => {
    try {
      return edit(...input)
    } catch (error) {
      if (error instanceof rules.MapError) throw new ProblemError({ code: error.code, detail: error.message })
      throw error
    }
  }

/** The edits of a services map; each throws a `ProblemError` where the map does not take it. */
export const replaceMap = withProblems(rules.replaceMap)
export const addService = withProblems(rules.addService)
export const addDataSource = withProblems(rules.addDataSource)

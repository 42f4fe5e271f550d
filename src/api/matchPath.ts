import type { Route } from '../contracts/route.ts'

const fits = (path: string, pattern: string): boolean => {
  const [segments, wanted] = [path.split('/'), pattern.split('/')]
  return (
    segments.length === wanted.length &&
    wanted.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}

/** The routes of a path, whatever their method. */
export const routesOfPath = (routes: readonly Route[], path: string): readonly Route[] =>
  routes.filter((route) => fits(path, route.path))

/** Value of the Allow header of a resource: its methods, HEAD beside GET, and OPTIONS. */
export const allowOf = (routes: readonly Route[]): string =>
  [...routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

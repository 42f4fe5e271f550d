import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes npm's package in a copy of its files, whose modes do not depend on who checked them out; returns its bytes. */
export function npmTarball(folder: string): Buffer {
  const { files, bin } = JSON.parse(readFileSync('package.json', 'utf8'))
  mkdirSync(folder, { recursive: true })
  for (const path of ['package.json', 'README.md', 'LICENSE', ...files]) {
    cpSync(path, join(folder, path), { recursive: true })
  }
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', folder])
  execFileSync('chmod', ['-R', 'a-x,a+X', folder])
  execFileSync('chmod', ['755', ...Object.values<string>(bin)], { cwd: folder })
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' }),
  )
  return readFileSync(join(folder, packed.filename))
}

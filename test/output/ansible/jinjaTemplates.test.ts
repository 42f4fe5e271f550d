import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonTemplate, linesTemplate, withoutJinja } from '../../../src/output/ansible/jinjaTemplates.ts'
import { createVariables } from '../../../src/output/ansible/variables.ts'

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function templateOf(values: readonly unknown[]) {
  const names = values.map((_, index) => `db${index + 1}`)
  const variables = createVariables(names)
  const texts = new Map(names.map((name, index) => [name, textOf(values[index])]))
  return { template: jsonTemplate({ texts, name: 'manager', variables }), variables }
}

describe('jsonTemplate', () => {
  it('writes what all hosts have alike, and makes variables of the rest', () => {
    const { template, variables } = templateOf([
      { host: 'db1', listen: { address: '0.0.0.0', port: 8090 }, names: ['db1', 'localhost'], level: 'info' },
      { host: 'db2', listen: { address: '0.0.0.0', port: 8091 }, names: ['db2'], member: 'x', level: 'info' },
    ])
    expect(template).toBe(`{
  "host": {{ inventory_hostname | to_json(ensure_ascii=false) }},
  "listen": {
    "address": "0.0.0.0",
    "port": {{ muster_settings_listen_port | to_json(ensure_ascii=false) }}
  },
  "names": {{ muster_settings_names | to_nice_json(indent=2, sort_keys=false, ensure_ascii=false) | indent(2) }},
{% if muster_settings_member is defined %}
  "member": {{ muster_settings_member | to_json(ensure_ascii=false) }},
{% endif %}
  "level": "info"
}
`)
    expect(variables.ofGroup()).toEqual({})
    expect(variables.ofHost('db2')).toEqual({
      muster_settings_listen_port: 8091,
      muster_settings_names: ['db2'],
      muster_settings_member: 'x',
    })
  })

  it('has no variable for hosts with the same file, and escapes what Jinja would read', () => {
    const { template } = templateOf([{ a: '{{ x }}' }, { a: '{{ x }}' }])
    expect(template).toBe(`{\n  "a": "{{ '{{' }} x }}"\n}\n`)
  })

  it('gives one variable two names only if components differ in it', () => {
    const variables = createVariables(['db1', 'db2'])
    const make = (name: string, ports: readonly number[]) =>
      jsonTemplate({
        texts: new Map(ports.map((port, index) => [`db${index + 1}`, textOf({ host: 'x', port })])),
        name,
        variables,
      })
    expect(make('manager', [1, 2])).toContain('{{ muster_settings_port |')
    expect(make('connector', [1, 2])).toContain('{{ muster_settings_port |')
    expect(make('replicator', [3, 4])).toContain('{{ muster_settings_replicator_port |')
  })

  it('gives each host its own file, whatever the files are', () => {
    // It checks its own result for every host, and throws if a byte is wrong.
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue({ maxDepth: 3 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (values) => {
          templateOf(values)
        },
      ),
    )
  })
})

describe('linesTemplate', () => {
  const make = (texts: readonly string[]) => {
    const names = texts.map((_, index) => `db${index + 1}`)
    const variables = createVariables(names)
    const template = linesTemplate({
      texts: new Map(names.map((name, index) => [name, texts[index] ?? ''])),
      name: 'manager',
      variables,
    })
    return { template, of: variables.ofHost }
  }

  it('makes variables of the values that differ, named by their keys', () => {
    const { template, of } = make(['[Service]\nMemoryMax=1M\n', '[Service]\nMemoryMax=2M\n'])
    expect(template).toBe('[Service]\nMemoryMax={{ muster_unit_memory_max }}\n')
    expect(of('db2')).toEqual({ muster_unit_memory_max: '2M' })
  })

  it('refuses files with different numbers of lines', () => {
    expect(() => make(['a\nb', 'a'])).toThrow('different numbers of lines')
  })
})

describe('withoutJinja', () => {
  it('escapes what begins an expression, a statement or a comment, except given expressions', () => {
    expect(withoutJinja('{#a} {{ root }} {{ x }} {% y', ['{{ root }}'])).toBe(
      "{{ '{#' }}a} {{ root }} {{ '{{' }} x }} {{ '{%' }} y",
    )
  })
})

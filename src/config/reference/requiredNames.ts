/** What a configuration in a single file cannot be without; the rule `required` tells those who leave it out. */
export const requiredNames = {
  file: ['cluster', 'services', 'hosts'],
  service: ['topology', 'members'],
} as const

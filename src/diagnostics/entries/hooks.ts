import { error, warning } from '../entry.ts'

/** Programs of hooks, and webhooks of notify. */
export const hookEntries = {
  'hook-not-runnable': warning((facts: { name: string; program: string; problem: string; fix: string }) => ({
    message: `The program ${facts.program} of ${facts.name} ${facts.problem}.`,
    why: 'A run that changes hosts would stop here, or end with a warning.',
    fix: facts.fix,
  })),
  'webhook-url': error((facts: { problem: string }) => ({
    message: `The URL of a webhook ${facts.problem}.`,
    why: 'What muster tells, and the secrets it sends along, must reach the right server unread by others.',
    fix: 'Write, for example: url: https://ntfy.example.org/deployments',
  })),
  'webhook-secret': error((facts: { name: string; reason: string }) => ({
    message: `${facts.name} must be a reference: ${facts.reason}.`,
    why: 'Everyone who can read the file, its history or a copy could send messages in your name.',
    fix: `Write, for example: ${facts.name.replace('notify.', '')}: !env WEBHOOK_SECRET`,
  })),
  'webhook-template': error((facts: { problem: string }) => ({
    message: `The template of a webhook ${facts.problem}.`,
    why: 'The message would be refused, or be empty where it matters.',
    fix: `Write, for example: template: '{ "text": "{{title}}" }'`,
  })),
} as const

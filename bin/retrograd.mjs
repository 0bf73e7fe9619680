#!/usr/bin/env node
// @ts-check
/** @file `npx retrograd create [STARTER] [FOLDER]`: copies a starter. Without a starter it lists them. */
import process from 'node:process';
import { create, CreateError, listStarters } from './create.mjs';

const usage = `npx retrograd create STARTER [FOLDER]

${listStarters()}

FOLDER must be empty or not there yet; without it, it has the name of the starter.
`;

/** @param {readonly string[]} args */
function run([command, ...args]) {
  if (command === undefined || command === 'help' || command === '--help' || command === '-h') return usage;
  if (command !== 'create') {
    throw new CreateError({
      rule: 'the command is `create`.',
      received: `'${command}'`,
      hint: 'npx retrograd create lists the starters.',
    });
  }
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return usage;
  return create(args);
}

try {
  process.stdout.write(run(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof CreateError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

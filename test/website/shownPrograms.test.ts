import { describe, expect, test } from 'vitest';
import { placedFault, placedOutput } from '../../examples/notebook/kernel/places.ts';
import { fillImports } from '../../scripts/website/fillImports.mjs';

const module = '5b9c7057-8cbb-4d4e-aab2-6253b2fba402';
const nameOf = (id: string, line: number) => (id === module ? `program.ts:${line + 8}` : undefined);

describe('call sites in programs that are compiled from text', () => {
  test('have the names and lines of the program that is shown, in texts, reports and faults', () => {
    const other = '00000000-8cbb-4d4e-aab2-6253b2fba402:3';
    const text = `created at ${module}:21, not ${other}`;
    const expected = `created at program.ts:29, not ${other}`;
    expect(placedOutput({ kind: 'text', text, tone: 'plain' }, nameOf)).toMatchObject({ text: expected });
    expect(placedFault({ title: 'ShapeError', text, line: 2 }, nameOf).text).toBe(expected);
    const report = { findings: [{ callSite: `${module}:21` }], loss: 0.5 };
    expect(placedOutput({ kind: 'report', report: report as never }, nameOf)).toEqual({
      kind: 'report',
      report: { findings: [{ callSite: 'program.ts:29' }], loss: 0.5 },
    });
    const status = { kind: 'status', text } as const;
    expect(placedOutput(status, nameOf)).toBe(status);
  });
});

describe('imports of a program', () => {
  const long = "import {\n  add,\n  matMul,\n  type Tensor,\n} from 'retrograd';\nconst a = 1;\n";

  test('are on one line if they fit, and wrapped otherwise', () => {
    expect(fillImports(long, 60)).toBe(
      "import { add, matMul, type Tensor } from 'retrograd';\nconst a = 1;\n",
    );
    expect(fillImports(long, 20)).toBe(
      "import {\n  add, matMul,\n  type Tensor,\n} from 'retrograd';\nconst a = 1;\n",
    );
  });
});

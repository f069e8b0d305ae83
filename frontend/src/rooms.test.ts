// The page's walls: what may be imported where, and who may speak of the rules.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '@/testing/scenario';

const root = join(repository, 'frontend');

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return /\.(ts|tsx)$/.test(entry.name) ? [relative(root, path).replaceAll('\\', '/')] : [];
  });
}

const all = [...files(join(root, 'src')), ...files(join(root, 'e2e'))];
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const breaking = (paths: string[], rule: RegExp) =>
  paths.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) => (rule.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );

test('only the bridge imports the generated bindings', () => {
  const others = all.filter((path) => !path.startsWith('src/bridge/') && path !== 'src/rooms.test.ts');
  expect(breaking(others, /@wailsjs|wailsjson/)).toEqual([]);
  expect(breaking(all.filter((path) => path.startsWith('src/bridge/')), /from '@wailsjs/).length).toBeGreaterThan(0);
});

test('only the policy folder reads the keys of the filter', () => {
  const others = all.filter((path) => path.startsWith('src/') && !path.startsWith('src/policy/') && !/\.test\./.test(path));
  // As a property, an index, a name in an object or a type. A string method of a list is `includes`.
  expect(breaking(others, /[.?]\s*(include|exclude)\b|\b(include|exclude)['"]?\s*\??:|\[['"](include|exclude)['"]\]|\{[^}]*\b(include|exclude)\b[^}]*\}\s*=/)).toEqual([]);
});

test('the rule about keys finds what it is for', () => {
  const rule = /[.?]\s*(include|exclude)\b|\b(include|exclude)['"]?\s*\??:|\[['"](include|exclude)['"]\]|\{[^}]*\b(include|exclude)\b[^}]*\}\s*=/;
  for (const line of ['x.include', 'x?.exclude', 'include: []', "'include': 1", 'include?: string[]', "x['exclude']", 'const { include } = tools']) {
    expect(rule.test(line), line).toBe(true);
  }
  for (const line of ['x.includes(y)', 'included: 1', 'text about include', 'x.excluded']) expect(rule.test(line), line).toBe(false);
});

test('files are short, nothing is fetched from the network, and nothing waits on a clock in tests', () => {
  const long = all.filter((path) => read(path).split('\n').length > 400);
  expect(long).toEqual([]);
  const tests = all.filter((path) => path !== 'src/rooms.test.ts' && (/\.test\./.test(path) || path.startsWith('e2e/') || path.startsWith('src/testing/')));
  expect(breaking(tests, /setTimeout|waitForTimeout|setInterval|\.(skip|todo|only)\(/)).toEqual([]);
  expect(readFileSync(join(root, 'src/theme/theme.css'), 'utf8')).not.toMatch(/https?:\/\//);
  expect(readFileSync(join(root, 'index.html'), 'utf8')).not.toMatch(/https?:\/\//);
  const html = all.filter((path) => path !== 'src/rooms.test.ts');
  expect(breaking(html, /dangerouslySetInnerHTML|\.innerHTML\b|\beval\(/)).toEqual([]);
});

test('the lock file names no registry', () => {
  const lock = read('package-lock.json');
  expect(lock).not.toContain('"resolved"');
  const exact = Object.values({ ...JSON.parse(read('package.json')).dependencies, ...JSON.parse(read('package.json')).devDependencies }) as string[];
  expect(exact.filter((version) => !/^\d/.test(version))).toEqual([]);
});

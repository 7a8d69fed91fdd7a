/** Reporter: prints the ten slowest files and the time of each project, before the summary. */
import type { Reporter, TestModule } from 'vitest/node';

const slowest = 10;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`.padStart(9);

/** Time of a file with its imports and hooks. Milliseconds. */
function timeOf(module: TestModule) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}

export default class ReportTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = new Map<string, { files: number; ms: number }>();
    for (const module of modules) {
      const { files, ms } = projects.get(module.project.name) ?? { files: 0, ms: 0 };
      projects.set(module.project.name, { files: files + 1, ms: ms + timeOf(module) });
    }
    const byTime = [...modules].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, slowest);
    const lines = [
      '',
      ...[...projects].map(([name, { files, ms }]) => `${seconds(ms)}  ${name}, ${files} files`),
      '  slowest files:',
      ...byTime.map((module) => `${seconds(timeOf(module))}  ${module.relativeModuleId}`),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const alias = (base as any).test.projects[0].resolve.alias;
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts'],
    exclude: ['test/unit/architecture.test.ts', 'test/unit/docs.test.ts'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 900000,
    hookTimeout: 900000,
    setupFiles: ['test/support/seed.ts', './cov-setup.tmp.ts'],
    reporters: ['dot'],
  },
} as any);

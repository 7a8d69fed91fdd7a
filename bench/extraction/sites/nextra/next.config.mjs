import nextra from 'nextra';

export default nextra({ search: false })({ output: 'export', images: { unoptimized: true }, outputFileTracingRoot: import.meta.dirname });

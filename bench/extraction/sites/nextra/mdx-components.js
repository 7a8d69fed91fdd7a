import { useMDXComponents as themed } from 'nextra-theme-docs';

export const useMDXComponents = (components) => ({ ...themed(), ...components });

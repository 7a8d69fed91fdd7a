/** Written by bench/grounding-weights.ts. */
export const scoreWeights = {
  intercept: -0.91,
  missing: -1.59,
  unit: 1.41,
  last: 0.79,
  turned: -1.72,
  opposite: -2.03,
  widened: -0.96,
  general: -0.85,
};

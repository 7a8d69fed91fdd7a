/**
 * Whether a sentence that was picked without a model is stated as the answer. Measured (bench/README.md): the share of the question that a sentence
 * says tells little alone; together with the kind that is asked for, four of five such sentences are right. All others are shown as excerpts.
 */
import type { QuestionKind } from '../../reply/question-kind.ts';

export interface ConfidenceFeatures {
  readonly kind: QuestionKind | undefined;
  readonly hasKind: boolean;
  readonly isTopic: boolean;
  /** A heading above it asks the same. */
  readonly isUnderQuestion: boolean;
  /** Place of its passage, from 0. */
  readonly position: number;
  readonly words: number;
  /** Share of the question that is said, 0 to 1: by itself, with its headings and lead, and by these alone. */
  readonly own: number;
  readonly share: number;
  readonly above: number;
  /** Share of its words that are asked, 0 to 1: a long sentence holds many by chance. */
  readonly density: number;
  readonly isOfSubject: boolean;
  readonly isRow: boolean;
  /** It holds under a condition that the question does not name. */
  readonly isConditional: boolean;
  /** Steps of a numbered list that stand for it. */
  readonly steps: number;
}

const minOwn = 0.75;
const minDensity = 0.1;
/** A sentence of another passage than the best has to say all of the question. */
const minOwnElsewhere = 0.99;
const minDensityElsewhere = 0.2;
const minShareOfFigure = 0.95;
const minOwnOfFigure = 0.3;
const minDensityOfFigure = 0.05;
/** The header of its table says the rest. */
const minShareOfRow = 0.7;
const minShareOfOtherRow = 0.95;
/** Headings and the sentence together name all of a topic. */
const minShareOfTopic = 0.99;
const minOwnOfTopic = 0.3;
/** A sentence of hardly more words than those that are asked. */
const minDensityOfEcho = 0.5;
const minSteps = 2;
/** The headings of a list say what its steps are for. */
const minAboveSteps = 0.85;

type Rule = (features: ConfidenceFeatures) => boolean;

const isSureRow: Rule = ({ share, position }) => share >= (position === 0 ? minShareOfRow : minShareOfOtherRow);
const isSureElsewhere: Rule = ({ kind, own, density }) =>
  kind !== undefined && kind !== 'steps' && own >= minOwnElsewhere && density >= minDensityElsewhere;
const areSureSteps: Rule = ({ steps, above, words }) => steps >= minSteps && above >= minAboveSteps && words > 1;
const isSureTopic: Rule = ({ share, own }) => share >= minShareOfTopic && own >= minOwnOfTopic;
const isSureOfNoKind: Rule = ({ own, isOfSubject, density }) =>
  own >= minOwn && (isOfSubject || (own >= minShareOfTopic && density >= minDensityOfEcho));
/** A figure of the right kind is rarely there by chance: headings may say the rest. */
const isSureFigure: Rule = ({ kind, share, own, density }) =>
  (kind === 'time' || kind === 'number' || kind === 'price') &&
  share >= minShareOfFigure &&
  own >= minOwnOfFigure &&
  density >= minDensityOfFigure;

function ruleFor({ kind, isRow, isOfSubject, position, isTopic, isUnderQuestion }: ConfidenceFeatures): Rule {
  if (isRow && isOfSubject) return isSureRow;
  if (position > 0) return isSureElsewhere;
  if (kind === 'steps') return areSureSteps;
  if (isTopic) return isSureTopic;
  if (kind === undefined) return isSureOfNoKind;
  if (isUnderQuestion) return ({ own }) => own > 0;
  return (features) => isSureFigure(features) || (features.own >= minOwn && features.density >= minDensity);
}

export const isSure = (features: ConfidenceFeatures): boolean => features.hasKind && !features.isConditional && ruleFor(features)(features);

/** All English near-synonyms, one group per line, entries separated by commas; every entry of a group may stand for every other. */
import { englishBusiness } from './synonyms-en-business.ts';
import { englishDeveloper } from './synonyms-en-developer.ts';
import { englishEveryday } from './synonyms-en-everyday.ts';
import { englishProduct } from './synonyms-en-product.ts';
import { englishSupport } from './synonyms-en-support.ts';
import { englishWorkplace } from './synonyms-en-workplace.ts';

const areas = [englishBusiness, englishWorkplace, englishProduct, englishDeveloper, englishSupport, englishEveryday];

export const englishSynonyms: string = areas.join('').trim();

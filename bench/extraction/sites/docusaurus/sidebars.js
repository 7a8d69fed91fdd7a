export default { docs: [{ type: 'category', label: 'Field guides', items: ['intro', 'faq', 'old'] }] };

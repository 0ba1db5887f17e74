"""What is kept: values, file formats, rules of one block. Pure: no I/O, no clock.

Glossary: the class names of the source documents and the module that plays their part here.

==========================  =====================================================================
ExperienceModel             ``model.values.block.Block`` with ``model.rules.lifecycle`` (onSuccessfulReuse …)
JsoncStorage                ``home.store.doors`` over ``kernel.jsonc`` (load, save)
ExperienceRegistry          ``blocks.usecases.capture`` (register) and ``finding.usecases`` (retrieve)
HeartbeatReporter           ``review.rules.daily_report`` (generateReport) and ``review.usecases`` (onUserDecision)
PeerDiscovery               ``sharing.store.network``
ExperienceExchange          ``sharing.usecases.peers``
ExperienceManager           ``episodes.usecases.episode_book`` with ``episodes.rules.retention``
Experience (S0)             an episode: ``model.values.records.Episode``
ExperienceMemory (S1)       the set of blocks: ``model.values.snapshot.Snapshot``
EventMemory, EventSegment   ``timeline.rules.compaction``, ``model.values.records.Segment``
ShortTermMemory             ``conversations.rules.context_window``
LongTermMemory              ``conversations.usecases.sessions``
MemoryStore                 blocks about the user: ``blocks.usecases.capture``, ``finding``
ChatHistoryStore            ``conversations.ports.ChatHistoryStore``
MemoryExtractor             ``conversations.rules.cues``
MemoryRecallTool            ``agents`` (``search_memory_tool``)
==========================  =====================================================================
"""

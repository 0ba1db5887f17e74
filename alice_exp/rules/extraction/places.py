"""What tells a place or an occupation from any other noun, in Chinese and English: small lists and endings."""

from __future__ import annotations

import re

_PLACES = frozenset(
    [
        "北京",
        "上海",
        "天津",
        "重庆",
        "广州",
        "深圳",
        "杭州",
        "南京",
        "苏州",
        "成都",
        "武汉",
        "西安",
        "长沙",
        "郑州",
        "青岛",
        "济南",
        "大连",
        "沈阳",
        "哈尔滨",
        "长春",
        "厦门",
        "福州",
        "合肥",
        "昆明",
        "贵阳",
        "南宁",
        "海口",
        "三亚",
        "太原",
        "石家庄",
        "南昌",
        "兰州",
        "银川",
        "西宁",
        "拉萨",
        "呼和浩特",
        "乌鲁木齐",
        "宁波",
        "无锡",
        "佛山",
        "东莞",
        "珠海",
        "温州",
        "常州",
        "香港",
        "澳门",
        "台北",
        "高雄",
        "台湾",
        "河北",
        "山西",
        "辽宁",
        "吉林",
        "黑龙江",
        "江苏",
        "浙江",
        "安徽",
        "福建",
        "江西",
        "山东",
        "河南",
        "湖北",
        "湖南",
        "广东",
        "海南",
        "四川",
        "贵州",
        "云南",
        "陕西",
        "甘肃",
        "青海",
        "内蒙古",
        "广西",
        "西藏",
        "宁夏",
        "新疆",
        "东北",
        "中国",
        "美国",
        "英国",
        "法国",
        "德国",
        "日本",
        "韩国",
        "新加坡",
        "加拿大",
        "澳大利亚",
        "澳洲",
        "新西兰",
        "俄罗斯",
        "意大利",
        "西班牙",
        "荷兰",
        "瑞士",
        "瑞典",
        "泰国",
        "越南",
        "马来西亚",
        "印度",
        "巴西",
        "东京",
        "大阪",
        "首尔",
        "纽约",
        "伦敦",
        "巴黎",
        "柏林",
        "旧金山",
        "硅谷",
        "洛杉矶",
        "西雅图",
        "波士顿",
        "多伦多",
        "温哥华",
        "悉尼",
        "墨尔本",
        "国外",
        "老家",
        "农村",
        "乡下",
    ]
)
_PLACE_END = re.compile(r"(?:省|市|区|县|镇|村|州|岛|湾|街道|小区|路|国)$")
_JOB_END = re.compile(
    r"(?:师|员|经理|总监|主管|主任|医生|大夫|律师|会计|司机|护士|警察|军人|学生|研究生"
    r"|博士|本科生|高中生|教授|老师|讲师|编辑|记者"
    r"|工人|农民|店长|老板|作家|画家|作者|专家|科学家|艺术家|音乐家|投资人|创始人|合伙人"
    r"|创业者|自由职业者?|公务员|厨师|翻译|导演"
    r"|编剧|主播|博主|顾问|秘书|助理|运营|架构师|负责人|组长|校长|院长|法官|检察官|消防员"
    r"|空姐|保安|保姆|退休人员|个体户|码农|白领|CEO"
    r"|CTO|HR|PM|DBA|实习生|全职妈妈|家庭主妇|模特|歌手|球员|教练|飞行员|船长|牙医|兽医"
    r"|测试|前端|后端|开发|设计|销售|市场|采购|财务"
    r"|产品|客服|算法|运维|数据分析|外贸|电商|金融|科研|研究|教育|保险|直播|自媒体|生意"
    r"|撰稿人|经纪人|主持人|手艺人|媒体人|生意人|[电木焊瓦]工|技工|馆长|队长|站长|处长|科长|局长|书记|裁缝|木匠|渔民|商人|猎头"
    r"|骑手|快递|研究员|博士后|策划|文案|美工|演员|舞者|鼓手|写手|剪辑|摄影|程序猿|程序媛|独立开发者|开发者|全栈|学者|牧师|僧人|管家"
    r"|前端开发|后端开发|软件|硬件|嵌入式|安全)$"
)
_NOT_JOB = re.compile(
    r"(?:会员|党员|团员|成员|人员|委员|一员|队员|学员|球迷|新员|演示|失败|这|那|你|他|她"
    r"|它|第一|个好|认真|想|说|来|在|不)"
)
_ENGLISH_JOB = re.compile(
    r"\b(?:\w+(?:er|or|ist|ian|eer|yst|man|woman|keeper|smith|wright)|nurse|chef|cook"
    r"|clerk|student|undergrad|freshman"
    r"|sophomore|doctor|judge|pilot|coach|intern|consultant|assistant|accountant|architect|scientist|attendant|agent"
    r"|ceo|cto|cfo|coo|vp|pm|dba|sre|devops|freelance|freelancer|developer|dev"
    r"|entrepreneur|professor|lecturer|postdoc"
    r"|phd candidate|surgeon|dentist|therapist|nanny|monk|priest|soldier|veteran|retiree|homemaker|parent at home"
    r"|mechanic|analyst|head|director|president|founder|co-founder|cofounder|lead|guide"
    r"|model|athlete|poet|critic)s?$",
    re.I,
)
_ENGLISH_NOT_JOB = re.compile(
    r"\b(?:(?:fast|slow|quick|good|bad|great|better|former|night|early|big|heavy|light"
    r"|poor|first|last|other|never|lover|"
    r"believer|beginner|newcomer|user|number|member|owner|winner|loser|customer|subscriber"
    r"|stranger|foreigner|matter|error|"
    r"answer|order|further|later|longer|either|neither|over|under|sister|brother|mother"
    r"|father|daughter|vegetarian|human|person|"
    r"woman|man|dreamer|learner|sleeper|drinker|smoker|non-smoker|introvert|eater|owl|fan|reader|fighter|sinner)s?)$",
    re.I,
)


def is_place(text: str) -> bool:
    """Whether a Chinese noun is a city, a region or a country."""
    return text in _PLACES or text[:2] in _PLACES or text[:3] in _PLACES or bool(_PLACE_END.search(text))


def is_job(text: str) -> bool:
    """Whether a Chinese noun names an occupation."""
    return len(text) <= 16 and bool(_JOB_END.search(text)) and not _NOT_JOB.search(text)


def is_english_job(phrase: str) -> bool:
    """Whether the head of an English noun phrase names an occupation: "senior nurse at a clinic" by "nurse"."""
    head = re.split(r"\s+(?:at|in|of|for|from|with|and|who|by|on|specializing|working|based)\b|,", phrase)[
        0
    ].strip()
    return bool(_ENGLISH_JOB.search(head)) and not _ENGLISH_NOT_JOB.search(head)
